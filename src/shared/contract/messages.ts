import { z } from "zod"

/** Says in words for a person what is wrong with a field; used by every schema of the contract. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${article(issue.expected)}`
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty"
      return `must ${bound(issue.origin)} at least ${String(issue.minimum)}${unit(issue.origin)}`
    case "too_big":
      return `must ${bound(issue.origin)} at most ${String(issue.maximum)}${unit(issue.origin)}`
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}`
    case "unrecognized_keys":
      return `has fields that aren't allowed: ${issue.keys.join(", ")}`
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
      return undefined // these bring their own words
  }
}

const article = (type: string) =>
  type === "int" ? "a whole number" : /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
const bound = (origin: string) => (origin === "string" || origin === "array" ? "have" : "be")
const unit = (origin: string) => (origin === "string" ? " characters" : origin === "array" ? " entries" : "")

z.config({ customError: describeIssue })
