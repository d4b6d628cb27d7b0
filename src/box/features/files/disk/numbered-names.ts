import { numberedName } from "../../../core/files/path-jail.ts"

const mostNumbers = 10_000

/** The name, and then those to try where it is taken. */
export function* numberedNames(name: string): Generator<string> {
  for (let number = 1; number <= mostNumbers; number++) yield numberedName(name, number)
}
