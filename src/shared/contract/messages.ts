import { z } from "zod"
import type { Sentence } from "../sentences/sentence.ts"
import { say, setSentence } from "./wrong.ts"

const types = {
  array: "type_array",
  boolean: "type_boolean",
  int: "type_int",
  number: "type_number",
  object: "type_object",
  record: "type_record",
  string: "type_string",
} as const
const isNamed = (type: string): type is keyof typeof types => Object.hasOwn(types, type)
const least = { string: "least_characters", array: "least_entries" } as const
const most = { string: "most_characters", array: "most_entries" } as const
const isCounted = (origin: string): origin is keyof typeof least => Object.hasOwn(least, origin)

/** Describes for people what is wrong with a field; used by every schema of the contract. */
function describeIssue(issue: z.core.$ZodRawIssue): Sentence {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return say("missing")
      return isNamed(issue.expected)
        ? say(types[issue.expected])
        : say("type_other", { type: `${/^[aeio]/.test(issue.expected) ? "an" : "a"} ${issue.expected}` })
    case "too_small": {
      if (issue.origin === "string" && issue.minimum === 1) return say("not_empty")
      return say(isCounted(issue.origin) ? least[issue.origin] : "least", { count: Number(issue.minimum) })
    }
    case "too_big":
      return say(isCounted(issue.origin) ? most[issue.origin] : "most", { count: Number(issue.maximum) })
    case "invalid_value":
      return say("one_of", { values: issue.values.map(String).join(", ") })
    case "unrecognized_keys":
      return say("unknown_fields", { keys: issue.keys.join(", ") })
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
      return say("input") // for schemas without their own message
  }
}

z.config({
  customError: (issue) => setSentence(issue, describeIssue(issue)),
})
