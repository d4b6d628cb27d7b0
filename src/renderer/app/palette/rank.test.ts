import { expect, test } from "vitest"
import type { Command } from "./command.ts"
import { fit, ranked, unsearched } from "./rank.ts"

const command = (name: string, group: Command["group"] = "chats"): Command => ({
  id: name,
  name,
  group,
  icon: null,
  run: () => undefined,
})
const shape = (sections: ReturnType<typeof ranked>) =>
  sections.map(({ group, commands }) => [group, ...commands.map(({ name }) => name)])

test.each([
  ["New chat", "new", 3],
  ["Old (new) chat", "new", 2],
  ["Renewal", "new", 1],
  ["Città d’arte", "citta", 3],
  ["Città d’arte", "arte", 2],
  ["Prices (C++)", "c++", 2],
  ["Old", "new", 0],
])("%j for %j: %i", (name, search, expected) => {
  expect(fit(name, search)).toBe(expected)
})

// Would catch a folder that starts with what was typed standing under ten chats that only contain it.
test("the best fit comes first, with its group; what the box found comes last", () => {
  const commands = [command("A plan"), command("Planning"), command("Airplane"), command("Plants", "folders")]
  const sections = ranked(commands, "plan", [command("…we planned it…", "messages")])
  expect(shape(sections)).toEqual([
    ["chats", "Planning", "A plan", "Airplane"],
    ["folders", "Plants"],
    ["messages", "…we planned it…"],
  ])
  expect(shape(ranked(commands, "plants", []))).toEqual([["folders", "Plants"]])
})

// Would catch: "mute" that finds nothing, and other names that stand before the names themselves.
test("what is called otherwise is found, after what is called so and after what belongs to the screen", () => {
  const commands = [
    { ...command("Notifications", "settings"), words: "mute, silence" },
    command("Mute swans"),
    { ...command("Export this chat", "here"), words: "commuted" },
    { ...command("This one", "here"), words: "to mute" },
  ]
  expect(shape(ranked(commands, "mute", []))).toEqual([
    ["here", "This one"],
    ["chats", "Mute swans"],
    ["settings", "Notifications"],
  ])
  expect(shape(unsearched(commands, ["Mute swans"]))[0]).toEqual(["here", "Export this chat", "This one"])
})

test("before anything is typed, what was used last comes first, and once", () => {
  const commands = [command("New chat", "actions"), command("Yesterday"), command("Today")]
  expect(shape(unsearched(commands, ["Today", "gone"]))).toEqual([
    ["recent", "Today"],
    ["chats", "Yesterday"],
    ["actions", "New chat"],
  ])
})
