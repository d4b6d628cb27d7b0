import { expect, test } from "vitest"
import { describesFunctions } from "./describes-functions.ts"

const templateOf = (metadata: Record<string, string>) =>
  describesFunctions({ metadata: new Map(Object.entries(metadata)) })

// Would catch: functions told to a model that was never taught to call any, and none told to one that was.
test("a chat template that speaks of tools, or one for them beside it, says so", () => {
  const plain = "{% for message in messages %}{{ message.content }}{% endfor %}"
  const calling = "{%- if tools %}{{ tools | tojson }}{%- endif %}"
  expect(templateOf({})).toBe(false)
  expect(templateOf({ "tokenizer.chat_template": plain, "general.name": "tools" })).toBe(false)
  expect(templateOf({ "tokenizer.chat_template": calling })).toBe(true)
  expect(templateOf({ "tokenizer.chat_template": plain, "tokenizer.chat_template.tool_use": calling })).toBe(
    true,
  )
})
