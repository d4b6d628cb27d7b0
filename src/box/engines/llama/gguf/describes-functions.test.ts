import { expect, test } from "vitest"
import { describesFunctions } from "./gguf-header.ts"

const getTemplate = (metadata: Record<string, string>) =>
  describesFunctions({ metadata: new Map(Object.entries(metadata)) })

// Catches tools that are described to a model which wasn't trained to call any, and tools that are missing for a model which was.
test("detects tool support from a chat template that mentions tools, or from a separate template for them", () => {
  const plain = "{% for message in messages %}{{ message.content }}{% endfor %}"
  const calling = "{%- if tools %}{{ tools | tojson }}{%- endif %}"
  expect(getTemplate({})).toBe(false)
  expect(getTemplate({ "tokenizer.chat_template": plain, "general.name": "tools" })).toBe(false)
  expect(getTemplate({ "tokenizer.chat_template": calling })).toBe(true)
  expect(getTemplate({ "tokenizer.chat_template": plain, "tokenizer.chat_template.tool_use": calling })).toBe(
    true,
  )
})
