import { existsSync } from "node:fs"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createDocumentReader } from "../process/document-reader.ts"
import { compoundBytes } from "../testing/compound-files.ts"
import { docxBytes } from "../testing/office-files.ts"

// Catches attachments that are written to disk, and a parser process with write permission.
test("reads an attachment in the parser's own process and leaves nothing of it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "embedded-"))
  const path = join(directory, "a.msg")
  const attachment = "__attach_version1.0_#00000000/"
  await writeFile(
    path,
    compoundBytes({
      "__properties_version1.0": Buffer.alloc(32),
      [`${attachment}__properties_version1.0`]: Buffer.alloc(8),
      [`${attachment}__substg1.0_3707001F`]: Buffer.from("letter.docx", "utf16le"),
      [`${attachment}__substg1.0_37010102`]: docxBytes("<w:p><w:r><w:t>Dear Bob</w:t></w:r></w:p>"),
    }),
  )
  let rights: string[] = []
  const lent = () => /=(\S+casella-parser-[^/]+)/.exec(rights.join(" "))?.[1] ?? "none"
  const texts: string[] = []
  {
    await using reader = createDocumentReader({
      logger: silentLogger,
      slots: 1,
      spawn(options) {
        rights = options.execArgv ?? []
        return spawnNodeChild(options)
      },
    })
    for await (const { text } of reader.read({ path, name: "a.msg" })) texts.push(text)
    expect(await readdir(lent())).toEqual([])
    expect(rights.join(" ")).not.toContain("fs-write")
  }
  expect(texts).toEqual(["Dear Bob"])
  expect(existsSync(lent())).toBe(false)
  await rm(directory, { recursive: true })
})
