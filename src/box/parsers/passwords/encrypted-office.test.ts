import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { utils, write } from "@e965/xlsx"
import { describe, expect, test } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { CompoundArchive } from "../compound/compound-archive.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { compoundFile } from "../formats/compound-file.ts"
import { p7m } from "../formats/p7m.ts"
import { ParseFailure } from "../parser.ts"
import { createDocumentReader } from "../process/document-reader.ts"
import { signedMessage } from "../testing/cms-bytes.ts"
import {
  compoundBytes,
  agileBytes,
  cryptoApi,
  fortyBits,
  encryptBlocks,
  standardBytes,
  type OldEncryption,
  messageBytes,
  pptBytes,
  wordBytes,
} from "../testing/compound-files.ts"
import { createRandom, mutate, parseBytes } from "../testing/parse-bytes.ts"
import { docxBytes, pptxBytes, xlsxBytes } from "../testing/office-files.ts"
import { decryptWorkbook } from "../xls/read-xls.ts"

const docx = docxBytes(`<w:p><w:r><w:t>The heron hides. ${"reeds ".repeat(3000)}</w:t></w:r></w:p>`)
const pptx = pptxBytes(["<a:p><a:r><a:t>The heron hides.</a:t></a:r></a:p>"])
const xlsx = xlsxBytes('<row r="1"><c t="str"><v>The heron hides.</v></c></row>')
const doc = (encryption: OldEncryption) =>
  wordBytes({ pieces: ["The heron hides.\r", "In reeds\r"], headings: {}, lengths: [26, 0], encryption })
const ppt = (encryption: OldEncryption) => pptBytes({ encryption })

/** Creates a workbook with another program and encrypts its records as Excel does. */
function xls({ info, getKey }: OldEncryption): Buffer {
  const book = utils.book_new()
  const rows = Array.from({ length: 200 }, (_, row) => [`Row ${row}`, row])
  utils.book_append_sheet(book, utils.aoa_to_sheet([["The heron hides."], ...rows]), "Stock")
  const plainBook = new CompoundArchive(
    createMemoryFile(write(book, { type: "buffer", bookType: "biff8" }) as Buffer),
  )
  const stream = plainBook.read("Workbook") ?? Buffer.alloc(0)
  const pass = Buffer.concat([Buffer.from(Uint16Array.of(0x2f, info.length + 2, 1).buffer), info])
  const afterStart = 4 + stream.readUInt16LE(2)
  const whole = Buffer.concat([stream.subarray(0, afterStart), pass, stream.subarray(afterStart)])
  const plain = new Set<number>()
  for (let at = 0; at < whole.length; at += 4 + whole.readUInt16LE(at + 2)) {
    const [type, length] = [whole.readUInt16LE(at), whole.readUInt16LE(at + 2)]
    if (type === 0x85) whole.writeUInt32LE(whole.readUInt32LE(at + 4) + pass.length, at + 4)
    const stays = [0x809, 0x2f, 0xe1].includes(type) ? length : type === 0x85 ? 4 : 0
    for (let byte = 0; byte < 4 + stays; byte++) plain.add(at + byte)
  }
  return compoundBytes({ Workbook: encryptBlocks(whole, { info, getKey }, 1024, (at) => plain.has(at)) })
}

async function read(bytes: Uint8Array, name: string, password?: string): Promise<string> {
  return (await parseBytes(compoundFile, bytes, name, undefined, password)).text
}

const getCode = (bytes: Uint8Array, name: string, password?: string): Promise<string> =>
  read(bytes, name, password).then(
    () => "read",
    (error: unknown) => (error instanceof ParseFailure ? error.reason.code : String(error)),
  )

// Catches wrongly derived keys, misaligned segments and blocks, and a wrong password reported as damage.
describe("opens only with the password", () => {
  test.for<[string, string, Uint8Array, string]>([
    ["a.docx", "SHA-512, 256 bits", agileBytes(docx, "sésame"), "encrypted_document"],
    ["a.docx", "SHA-1", agileBytes(docx, "sésame", { hash: "SHA1", keyBits: 128 }), "encrypted_document"],
    ["a.xlsx", "SHA-256", agileBytes(xlsx, "sésame", { hash: "SHA256", keyBits: 192 }), "encrypted_document"],
    ["a.pptx", "of 2007", standardBytes(pptx, "sésame"), "encrypted_document"],
    ["a.doc", "40 bits", doc(fortyBits("sésame")), "encrypted_document"],
    ["a.doc", "CryptoAPI", doc(cryptoApi("sésame")), "encrypted_document"],
    ["a.xls", "40 bits", xls(fortyBits("sésame")), "encrypted_workbook"],
    ["a.xls", "CryptoAPI with 40 bits", xls(cryptoApi("sésame", 40)), "encrypted_workbook"],
    ["a.ppt", "CryptoAPI", ppt(cryptoApi("sésame")), "encrypted_presentation"],
  ])("%s, %s", async ([name, , bytes, code]) => {
    expect(await getCode(bytes, name)).toBe(code)
    expect(await getCode(bytes, name, "Sésame")).toBe("password_wrong")
    expect(await read(bytes, name, "sésame")).toMatch(/The heron hides\.|Say hello/)
  })

  test("reads all of a document longer than a segment, and each row of a workbook", async () => {
    expect(await read(agileBytes(docx, "x"), "a.docx", "x")).toBe(
      await read(standardBytes(docx, "x"), "a.docx", "x"),
    )
    expect((await read(agileBytes(docx, "x"), "a.docx", "x")).match(/reeds/g)).toHaveLength(3000)
    expect(await read(xls(fortyBits("x")), "a.xls", "x")).toContain("Row 199 | 199")
  })
})

// Catches a request for a password when Excel needs none.
test("reads a workbook with a protected structure only", async () => {
  expect(await read(agileBytes(xlsx, "VelvetSweatshop"), "a.xlsx")).toBe("The heron hides.")
  expect(await read(xls(fortyBits("VelvetSweatshop")), "a.xls")).toContain("The heron hides.")
})

// Catches a document that keeps the processor hashing, before or after its password is known.
describe("a hostile number of rounds", () => {
  test.for(["10000001", "4294967295", "1e300", "-1", "NaN", ""])("%s", async (claimedSpins) => {
    const bytes = agileBytes(docx, "x", { claimedSpins })
    // An empty number means 0, which is valid.
    expect(await getCode(bytes, "a.docx", "x")).toBe(
      claimedSpins === "" ? "password_wrong" : "encrypted_unknown",
    )
  })

  test("one that the standard allows is stopped by the document's time limit", async () => {
    const directory = await mkdtemp(join(tmpdir(), "spins-"))
    const path = join(directory, "a.docx")
    await writeFile(path, agileBytes(docx, "x", { claimedSpins: "10000000" }))
    {
      const limits = { processorMs: 300 }
      await using reader = createDocumentReader({ logger: silentLogger, limits, spawn: spawnNodeChild })
      const reading = reader.read({ path, name: "a.docx", password: "x" }).next()
      await expect(reading).rejects.toMatchObject({ reason: { code: "too_slow" } })
    }
    await rm(directory, { recursive: true })
  })
})

// Catches damage that is reported as a wrong password or an internal error.
describe("files that can't be opened", () => {
  const parts = (bytes: Buffer) => {
    const archive = new CompoundArchive(createMemoryFile(bytes))
    const part = (name: string) => archive.read(name) ?? Buffer.alloc(0)
    return { EncryptionInfo: part("EncryptionInfo"), EncryptedPackage: part("EncryptedPackage") }
  }
  const whole = parts(agileBytes(docx, "x"))
  const withPackage = (bytes: Buffer) => compoundBytes({ ...whole, EncryptedPackage: bytes })
  const withInfo = (bytes: Buffer) => compoundBytes({ ...whole, EncryptionInfo: bytes })
  const standard = parts(standardBytes(pptx, "x")).EncryptionInfo

  test.for<[string, Buffer, string]>([
    ["a package whose end is missing", withPackage(whole.EncryptedPackage.subarray(0, 300)), "incomplete"],
    ["a package that says it is endless", withPackage(Buffer.alloc(5000, 0xff)), "type_unread"],
    ["hardly any package", withPackage(Buffer.alloc(5)), "damaged_container"],
    ["hardly any description", withInfo(Buffer.alloc(5)), "damaged_container"],
    ["half a description", withInfo(whole.EncryptionInfo.subarray(0, 200)), "encrypted_unknown"],
    ["half an older description", withInfo(standard.subarray(0, 60)), "damaged_container"],
    ["another cipher", agileBytes(docx, "x", { cipher: "RC2" }), "encrypted_unknown"],
    ["another version", withInfo(Buffer.from("0300030000000000", "hex")), "encrypted_unknown"],
  ])("%s", async ([, bytes, code]) => expect(await getCode(bytes, "a.docx", "x")).toBe(code))

  test.for<[string, Buffer]>([
    ["a.docx", agileBytes(docx, "x")],
    ["a.doc", doc(fortyBits("x"))],
    ["a.ppt", ppt(cryptoApi("x"))],
  ])("a damaged %s", async ([name, bytes]) => {
    const random = createRandom(name.length)
    for (let round = 0; round < 150; round++) {
      await read(mutate(bytes, random), name, "x").catch((error: unknown) => {
        if (!(error instanceof ParseFailure)) throw new Error(`round ${round}`, { cause: error })
      })
    }
  })
})

// Catches records that are decrypted endlessly or beyond their end. The library that reads the workbook afterwards isn't tested here.
test("a damaged workbook", () => {
  const whole = new CompoundArchive(createMemoryFile(xls(cryptoApi("x")))).read("Workbook") ?? Buffer.alloc(0)
  const random = createRandom(1)
  for (let round = 0; round < 150; round++) {
    try {
      decryptWorkbook(mutate(whole, random), "x")
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw new Error(`round ${round}`, { cause: error })
    }
  }
})

// Catches a password field that can't help, and a signed document that doesn't open with its password.
test("documents inside others have no password, unless they are the file's only content", async () => {
  const { notes } = await parseBytes(
    compoundFile,
    messageBytes({ "a.docx": agileBytes(docx, "x") }),
    "a.msg",
    undefined,
    "x",
  )
  expect(notes.join()).toContain("This file is encrypted. Save it without a password.")
  const signed = signedMessage(agileBytes(docx, "x"))
  expect((await parseBytes(p7m, signed, "a.docx.p7m", undefined, "x")).text).toContain("The heron hides.")
})

const corpus = fileURLToPath(new URL("../../../../../shared/corpus/documents/", import.meta.url))

// Catches an error that the test's own encryption shares with the reader.
test.for([
  ["testWORD_protected_passtika.docx", "tika", "This is an encrypted Word 2007 File."],
  ["testEXCEL_protected_passtika_2.xlsx", "tika", "This is an Encrypted Excel spreadsheet"],
  ["testPPT_protected_passtika.pptx", "tika", "This is an encrypted PowerPoint 2007 slide."],
  ["testEXCEL_protected_passtika.xls", "tika", "This is an Encrypted Excel spreadsheet."],
  ["Password_Protected-hello.ppt", "hello", "This is a protected document"],
] as const)("real files: %s", { tags: "corpus" }, async ([name, password, text]) => {
  if (!existsSync(corpus + name)) return
  expect(await read(readFileSync(corpus + name), name, password)).toContain(text)
})
