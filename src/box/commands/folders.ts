import { openAsBlob } from "node:fs"
import { stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { FileEntry } from "../../shared/contract/files.ts"
import type { FolderEntry } from "../../shared/contract/folders.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { type Command, type Flag, jsonFlag, UsageError } from "./command.ts"
import { findByName, listAll, listFolders } from "./names.ts"
import { callerFlags, withRunningBox, type RunningBox } from "./running-box.ts"
import { columns, plainJson, plainLine, printList } from "./terminal.ts"

const folderFlag: Flag = {
  name: "folder",
  takes: "NAME|ID",
  about: "Name or ID of the folder",
  names: "folder",
  required: true,
}
const filePageSize = 500
/** Time between two looks at files that are being read. */
const pollMs = 500

export const folderCommands: readonly Command[] = [
  {
    words: ["folders", "list"],
    takes: [],
    summary: "List folders with their number of files",
    flags: [jsonFlag, ...callerFlags],
    callsBox: true,
    run: (flags) =>
      withRunningBox(flags, async ({ client }) => {
        const folders = await listFolders(client)
        if (folders.length === 0 && flags.json !== true)
          process.stderr.write("There are no folders yet. Add one: folders create NAME\n")
        return printList(flags, folders, folderRow)
      }),
  },
  {
    words: ["folders", "create"],
    takes: ["NAME"],
    summary: "Create a folder",
    flags: [
      { name: "directory", takes: "DIR", about: "Follow this directory (default: a new, empty one)" },
      jsonFlag,
      ...callerFlags,
    ],
    callsBox: true,
    run: (flags, [name = ""]) =>
      withRunningBox(flags, async ({ client }) => {
        const { directory } = flags
        const { vector } = await client.folders.create({
          body: { name, ...(directory === undefined ? {} : { folder: resolve(directory) }) },
        })
        return flags.json === true ? [plainJson(vector)] : columns([folderRow(vector)])
      }),
  },
  {
    words: ["files", "list"],
    takes: [],
    summary: "List the files of a folder and whether they can be searched",
    flags: [folderFlag, jsonFlag, ...callerFlags],
    callsBox: true,
    run: (flags) =>
      withRunningBox(flags, async ({ client }) => {
        const { id } = await findFolder(client, flags.folder)
        const files = await listAll(filePageSize, async (page) => {
          const found = await client.files.list({ params: { id }, query: page })
          return { items: found.files, total: found.total }
        })
        return printList(flags, files, fileRow)
      }),
  },
  {
    words: ["files", "add"],
    takes: ["FILE…"],
    summary: "Upload files to a folder",
    flags: [
      folderFlag,
      { name: "wait", about: "Wait until the files can be searched" },
      jsonFlag,
      ...callerFlags,
    ],
    callsBox: true,
    run: (flags, paths) =>
      withRunningBox(flags, async (box) => {
        const folder = await findFolder(box.client, flags.folder)
        const ids: string[] = []
        for (const path of paths) ids.push(await upload(box, folder.id, path))
        const files = await readFiles(box, folder.id, ids, flags.wait === true)
        const failed = files.filter(({ status }) => status === "failed")
        if (failed.length > 0) process.exitCode = 1
        return printList(flags, files, fileRow)
      }),
  },
]

const folderRow = ({ id, name, fileCount, pendingCount, failedCount, folder }: FolderEntry): string[] => [
  id,
  name,
  `${fileCount} files`,
  pendingCount === 0 ? "-" : `${pendingCount} waiting`,
  failedCount === 0 ? "-" : `${failedCount} failed`,
  folder,
]

const fileRow = ({ id, folder, name, size, status, error, note }: FileEntry): string[] => [
  id,
  status,
  String(size),
  folder === "" ? name : `${folder}/${name}`,
  ...(error === null && note === null ? [] : [error ?? note ?? ""]),
]

async function findFolder(client: RunningBox["client"], named: string[] | undefined): Promise<FolderEntry> {
  const [name, ...others] = named ?? []
  if (name === undefined) throw new UsageError("--folder NAME is missing.")
  if (others.length > 0) throw new UsageError("Name one folder with --folder.")
  return findByName("folder", name, await listFolders(client))
}

async function upload({ client, stopped }: RunningBox, id: string, path: string): Promise<string> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => {
      throw new TerminalError(
        "not_found",
        `${plainLine(path)} can't be read. Check its name and permissions.`,
      )
    },
  )
  if (!isFile) throw new TerminalError("validation", `${plainLine(path)} isn't a file.`)
  const file = await openAsBlob(path)
  const fileName = basename(resolve(path))
  const receipt = await client.files.upload({ params: { id }, file, fileName }, { signal: stopped })
  return receipt.files[0]?.id ?? ""
}

/** Reads these files; with `untilRead` once none of them waits any more. */
async function readFiles(
  { client, stopped }: RunningBox,
  id: string,
  fileIds: readonly string[],
  untilRead: boolean,
): Promise<FileEntry[]> {
  for (;;) {
    const files: FileEntry[] = []
    for (const fileId of fileIds) files.push((await client.files.read({ params: { id, fileId } })).file)
    if (!untilRead || files.every(({ status }) => status !== "queued" && status !== "processing"))
      return files
    await wait(pollMs, undefined, { signal: stopped }).catch(() => stopped.throwIfAborted())
  }
}
