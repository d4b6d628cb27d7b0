import { expect, test } from "vitest"
import { fillIn } from "./presenting.ts"

const variables = { user: "Ann\n Other", now: new Date(2026, 10, 22) }

// Catches unrelated braces that are removed, and a name with characters that have a special meaning in replacements.
test.each([
  ["Greet {{user}}, {{user}}!", "Greet Ann Other, Ann Other!"],
  ["{{time}} {date} {{}} {{user", "{{time}} {date} {{}} {{user"],
  ["{{ user }} {{User}} {{{{ user }}}} {{{{time}}}}", "{{ user }} {{User}} {{{{ user }}}} {{{{time}}}}"],
  ["Write {{{{user}}}} for {{user}}.", "Write {{user}} for Ann Other."],
  ["{{{{date}}}}{{user}}{{{{user}}}}", "{{date}}Ann Other{{user}}"],
])("%s", (instructions, filled) => {
  expect(fillIn(instructions, variables)).toBe(filled)
})

test("a name is inserted unchanged", () => {
  expect(fillIn("{{user}}.", { ...variables, user: "$& {{date}}" })).toBe("$& {{date}}.")
})

test("the date is written in full, with its weekday", () => {
  expect(fillIn("Today is {{date}}.", variables)).toMatch(/^Today is Sunday,? 22 November 2026\.$/)
})
