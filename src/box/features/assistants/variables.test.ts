import { expect, test } from "vitest"
import { fillIn } from "./variables.ts"

const variables = { user: "Ann\n Other", now: new Date(2026, 10, 22) }

// Would catch: braces of other meaning that are eaten, and a name whose characters mean something to a replacement.
test.each([
  ["Greet {{user}}, {{user}}!", "Greet Ann Other, Ann Other!"],
  ["{{time}} {date} {{}} {{user", "{{time}} {date} {{}} {{user"],
  ["{{ user }} {{User}} {{{{ user }}}} {{{{time}}}}", "{{ user }} {{User}} {{{{ user }}}} {{{{time}}}}"],
  ["Write {{{{user}}}} for {{user}}.", "Write {{user}} for Ann Other."],
  ["{{{{date}}}}{{user}}{{{{user}}}}", "{{date}}Ann Other{{user}}"],
])("%s", (instructions, filled) => {
  expect(fillIn(instructions, variables)).toBe(filled)
})

test("a name is put in as it is", () => {
  expect(fillIn("{{user}}.", { ...variables, user: "$& {{date}}" })).toBe("$& {{date}}.")
})

test("the date is written out, with its weekday", () => {
  expect(fillIn("Today is {{date}}.", variables)).toMatch(/^Today is Sunday,? 22 November 2026\.$/)
})
