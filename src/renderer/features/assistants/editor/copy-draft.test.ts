import { expect, test } from "vitest"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { copyDraft } from "../AssistantMenu.tsx"

const assistant: Assistant = {
  id: "1",
  name: "Lawyer",
  handle: "lawyer",
  description: "Reads contracts",
  instructions: "Read.",
  visibility: "TEAM",
  icon: "Scale",
  color: "#2E9A57",
  customImage: null,
  builtInTools: { calculate: true, mcp_theirs: true },
  vectorIds: ["mine", "theirs"],
  vectors: [],
  enabled: true,
  owned: false,
  ownerName: "Ann",
  createdAt: "2026-01-01T00:00:00.000Z",
  permissionMode: "bypass",
  modelId: null,
  suggestions: [],
}
const own = { folderIds: new Set(["mine"]), tools: new Set(["calculate"]), models: new Set(["here"]) }

// Catches a copy that can't be saved, that is shared automatically, or that keeps the original owner's bypass mode.
test("copies only what the user has access to, and asks for approval again", () => {
  const copy = copyDraft(assistant, "Lawyer (copy)", own)
  expect(copy).toMatchObject({
    vectorIds: ["mine"],
    builtInTools: { calculate: true },
    permissionMode: "auto",
  })
  expect(copy.visibility).toBeUndefined()
  expect(copy.handle).toBeUndefined()
  expect(copyDraft({ ...assistant, owned: true }, "x", own).permissionMode).toBe("bypass")
  expect(copyDraft({ ...assistant, modelId: "here" }, "x", own).modelId).toBe("here")
  expect(copyDraft({ ...assistant, modelId: "gone" }, "x", own).modelId).toBeNull()
  expect(copyDraft(assistant, "x".repeat(130), own).name).toHaveLength(120)
})
