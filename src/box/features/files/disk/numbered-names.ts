import { numberedName } from "../../../core/files/path-jail.ts"

const mostNumbers = 10_000

/** Yields the name, then numbered names to try if it is taken. */
export function* numberedNames(name: string): Generator<string> {
  for (let number = 1; number <= mostNumbers; number++) yield numberedName(name, number)
}
