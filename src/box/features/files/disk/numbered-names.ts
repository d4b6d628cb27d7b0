import { numberedName } from "../../../core/files/path-jail.ts"

const maxNumbers = 10_000

/** Yields the name, then numbered names to try if it is taken. */
export function* numberedNames(name: string): Generator<string> {
  for (let number = 1; number <= maxNumbers; number++) yield numberedName(name, number)
}
