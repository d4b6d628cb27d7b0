import { expect, test } from "vitest"
import type { Assistant } from "../../../shared/contract/assistants.ts"
import { readAssistantFile, writeAssistantFile } from "./assistant-file.ts"

const assistant: Assistant = {
  id: "1",
  name: "Lawyer",
  handle: "lawyer",
  description: "Reads contracts",
  instructions: "Read.",
  visibility: "TEAM",
  icon: "Scale",
  color: "#2E9A57",
  customImage: "data:image/png;base64,AAAA",
  builtInTools: { calculate: true, plot: false, int_gmail: true, mcp_notes: true },
  vectorIds: ["1"],
  vectors: [{ id: "1", name: "Secret folder", description: "" }],
  enabled: true,
  owned: true,
  ownerName: "Ann",
  createdAt: "2026-01-01T00:00:00.000Z",
  permissionMode: "bypass",
  modelId: null,
  suggestions: [{ label: "Hi", prompt: "Say hi" }],
}

// Would catch: a file that tells of somebody's folders and servers, or makes an assistant that asks nobody.
test("an assistant's file has what it is, and nothing that is its owner's", () => {
  const text = writeAssistantFile(assistant)
  expect(text).not.toMatch(/Secret folder|mcp_notes|int_gmail|Ann|TEAM/)
  expect(readAssistantFile(text)).toEqual({
    name: "Lawyer",
    description: "Reads contracts",
    instructions: "Read.",
    icon: "Scale",
    color: "#2E9A57",
    customImage: "data:image/png;base64,AAAA",
    suggestions: [{ label: "Hi", prompt: "Say hi" }],
    permissionMode: "auto",
    builtInTools: { calculate: true },
  })
})

// Would catch: a stranger's file that reaches one's servers and folders, is shared, or loads a picture from the web.
test("a stranger's file gets nothing of one's own", () => {
  const made = {
    name: "Free gift",
    permissionMode: "bypass",
    visibility: "PUBLIC",
    handle: "admin",
    vectorIds: ["1"],
    customImage: "https://example.com/who-opens-this.png",
    builtInTools: { memory: true, mcp_files: true, int_gmail: true, constructor: true, unknown: true },
  }
  expect(readAssistantFile(JSON.stringify({ casella: "assistant", assistant: made }))).toEqual({
    name: "Free gift",
    permissionMode: "auto",
    customImage: null,
    builtInTools: { memory: true },
  })
})

test.each([
  "",
  "{}",
  "null",
  '{"casella":"assistant"}',
  '{"casella":"assistant","assistant":{"name":""}}',
  `{"casella":"assistant","assistant":{"name":"${"x".repeat(2_000_001)}"}}`,
  '{"name":"Another program’s"}',
])("%.40s is no assistant's file", (text) => {
  expect(readAssistantFile(text)).toBeNull()
})
