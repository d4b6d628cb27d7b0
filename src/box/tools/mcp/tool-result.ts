import type { CallToolResult } from "@modelcontextprotocol/client"
import { extension } from "mime-types"
import type { ToolPart, ToolResult } from "../tool.ts"

const limits = { characters: 100_000, files: 5, fileBytes: 5_000_000 }

/** Converts a server's result for models: text is shortened; images and audio become files of the answer. */
export function toToolResult(result: CallToolResult): ToolResult {
  const lines: string[] = []
  const parts: ToolPart[] = []
  for (const block of result.content) {
    if (block.type === "text") lines.push(block.text)
    else if (block.type === "resource_link") lines.push(`${block.title ?? block.name}: ${block.uri}`)
    else if (block.type === "resource") {
      if ("text" in block.resource) lines.push(`${block.resource.uri}:\n${block.resource.text}`)
      else lines.push(addFile(parts, block.resource.blob, block.resource.mimeType))
    } else lines.push(addFile(parts, block.data, block.mimeType))
  }
  if (lines.length === 0 && result.structuredContent) lines.push(JSON.stringify(result.structuredContent))
  const text = lines.join("\n")
  const cut =
    text.length <= limits.characters
      ? text
      : `${text.slice(0, limits.characters)}\n[Cut here: ${limits.characters} of ${text.length} characters.]`
  const content = cut.toWellFormed()
  return { content: result.isError === true ? { error: content } : content, parts }
}

/** Adds a file to the answer. Returns the line that describes it to the model. */
function addFile(parts: ToolPart[], base64: string, type = "application/octet-stream"): string {
  const mediaType = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : "application/octet-stream"
  if (parts.length >= limits.files) return `[A file was left out: ${limits.files} are enough.]`
  const bytes = Buffer.from(base64, "base64")
  if (bytes.byteLength > limits.fileBytes)
    return `[A file was left out: it is larger than ${limits.fileBytes / 1e6} MB.]`
  const name = `result-${parts.length + 1}.${extension(mediaType) || "bin"}`
  parts.push({ type: "file", name, mediaType, bytes })
  return `[The user sees the file ${name}.]`
}
