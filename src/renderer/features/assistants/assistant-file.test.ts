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

// Catches a file that reveals its owner's folders and servers, or that creates an assistant that needs no approval.
test("writes an assistant to a file without anything private to its owner", () => {
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

// Catches a file from outside that reaches the user's servers and folders, is shared, or loads an image from the web.
test("gives a file from outside no access to the user's own items", () => {
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
])("rejects %.40s as an assistant's file", (text) => {
  expect(readAssistantFile(text)).toBeNull()
})
