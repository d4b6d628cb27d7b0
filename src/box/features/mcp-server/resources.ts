import {
  ProtocolError,
  ProtocolErrorCode,
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { stripFolder } from "./folder-tools.ts"
import type { McpServerDeps } from "./tool.ts"
import { readRange, parseRange } from "../../parsers/ranges/read-range.ts"

/** Limits for a page of the list and for a single read, because a program attaches the whole text to a chat. */
const filesAtOnce = 100
const maxTextLength = 1_000_000

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const getUri = (folderId: string, fileId: string) => `casella://folders/${folderId}/files/${fileId}`
const uriPattern = new RegExp(`^${getUri(`(${uuid})`, `(${uuid})`)}$`, "i")
const cursorPattern = new RegExp(`^(${uuid}):(\\d{1,15})$`, "i")

export const resourceTemplates: ResourceTemplateType[] = [
  {
    uriTemplate: "casella://folders/{folderId}/files/{fileId}",
    name: "file",
    title: "A file in a folder",
    description: "Its extracted text",
    mimeType: "text/plain",
  },
]

/** A page of all files that the user may read, folder by folder. A cursor contains a folder and the number of its files already listed. */
export async function listResources(
  deps: McpServerDeps,
  userId: string,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const folders = await deps.folders(userId)
  const [, started, skipped = "0"] = cursor === undefined ? [] : (cursorPattern.exec(cursor) ?? [])
  const first = cursor === undefined ? 0 : folders.findIndex(({ id }) => id === started)
  if (first < 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "There is no such cursor. List from the beginning.",
    )
  const resources: Resource[] = []
  let offset = Number(skipped)
  for (const { id, name, fileCount } of folders.slice(first)) {
    if (fileCount === 0) continue
    if (resources.length === filesAtOnce) return { resources, nextCursor: `${id}:0` }
    const limit = filesAtOnce - resources.length
    const { total, files } = await deps.files(userId, id, { limit, offset })
    resources.push(...files.map((file) => toResource(id, name, file)))
    const next = offset + files.length
    if (files.length > 0 && next < total) return { resources, nextCursor: `${id}:${next}` }
    offset = 0
  }
  return { resources }
}

const toResource = (
  folderId: string,
  folder: string,
  { id, name, relativePath, size }: FileEntry,
): Resource => ({
  uri: getUri(folderId, id),
  name,
  description: `${folder}/${stripFolder(relativePath)}`,
  mimeType: "text/plain",
  size,
})

/** A file's extracted text, up to a million characters. */
export async function readResource(
  deps: McpServerDeps,
  userId: string,
  uri: string,
): Promise<ReadResourceResult> {
  const [, folderId, fileId] = uriPattern.exec(uri) ?? []
  if (folderId === undefined || fileId === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no resource ${uri}. See resources/templates/list.`,
    )
  await deps.file(userId, folderId, fileId)
  const wanted = { ...parseRange(), limit: maxTextLength }
  const { text, next } = await readRange(() => deps.text(userId, folderId, fileId), wanted)
  const rest = next === null ? "" : `\n\n[More follows: the tool read_file goes on with from: "${next}".]`
  return { contents: [{ uri, mimeType: "text/plain", text: text + rest }] }
}
