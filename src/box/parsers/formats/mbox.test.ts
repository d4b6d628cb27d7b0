import { expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { zipBytes } from "../testing/office-files.ts"
import { mbox } from "./mbox.ts"

const message = (subject: string, ...body: string[]): string[] => [
  `Subject: ${subject}`,
  "From: Ada <ada@example.org>",
  "",
  ...body,
  "",
]
const separator = (sender = "ada@example.org") => `From ${sender} Tue Mar  5 10:00:00 2024`
const lines = (end: string, ...all: string[]): Buffer => Buffer.from(all.join(end), "latin1")

/** The texts of each message, without the lines about its sender. */
async function read(bytes: Uint8Array): Promise<Record<number, string[]>> {
  const found: Record<number, string[]> = {}
  for (const { text, location } of (await parseBytes(mbox, bytes, "a.mbox")).blocks)
    if (!text.startsWith("From: ")) (found[location.message ?? 0] ??= []).push(text)
  return found
}

// Catches messages that are joined or torn apart, lines that keep their escape, and numbers that aren't those of the messages.
test.for(["\n", "\r\n"])("each message is a section, with lines that end in %j", async (end) => {
  const sentence = "From now on 12:00 is noon, as in 2024."
  const bytes = lines(
    end,
    separator(),
    ...message("One", ">From the start", ">>From an answer", "> From a quotation"),
    separator("-"),
    ...message("Two", "Hello.", "From there we went home.", "", sentence, "Bye."),
    separator("MAILER-DAEMON"),
    ...message("Three", "The end."),
  )
  expect(await read(bytes)).toEqual({
    1: ["One", "From the start", ">From an answer\n> From a quotation"],
    2: ["Two", "Hello.\nFrom there we went home.", `${sentence}\nBye.`],
    3: ["Three", "The end."],
  })
})

// Catches separators without a date, which some programs write, and their loss at the edge of a piece of the file.
test("finds messages in a mailbox larger than the pieces in which it is read", async () => {
  const filler = "The weather is fine today. ".repeat(5)
  const all: string[] = []
  for (let number = 1; number <= 900; number++)
    all.push("From ada", ...message(`Number ${number}`, ...Array.from({ length: 20 }, () => filler)))
  const found = await read(lines("\n", ...all))
  expect(Object.keys(found)).toHaveLength(900)
  expect(found[523]?.[0]).toBe("Number 523")
})

// Catches attachments that aren't read, a ZIP among them that loses its members' names, and one unreadable attachment that ends the mailbox.
test("reads attachments like those of an email", async () => {
  const attachment = (name: string, bytes: Uint8Array) => [
    "--x",
    `Content-Disposition: attachment; filename="${name}"`,
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(bytes).toString("base64"),
  ]
  const { blocks, notes } = await parseBytes(
    mbox,
    lines(
      "\n",
      separator(),
      ...message("One", "First."),
      separator(),
      "Subject: Two",
      'Content-Type: multipart/mixed; boundary="x"',
      "",
      ...attachment("a.exe", Buffer.from("7f454c4602010100000000000000000002003e00", "hex")),
      ...attachment("notes.md", Buffer.from("# Prices")),
      ...attachment("papers.zip", zipBytes({ "2024/lease.txt": "The rent is 900." })),
      "--x--",
    ),
  )
  expect(blocks.find(({ text }) => text === "Prices")?.location).toEqual({
    line: 1,
    heading: "notes.md › Prices",
    message: 2,
  })
  expect(blocks.at(-1)).toMatchObject({
    text: "The rent is 900.",
    location: { message: 2, entry: "2024/lease.txt", heading: "papers.zip" },
  })
  expect(notes).toEqual([expect.stringContaining("a.exe")])
})

// Catches deleted messages that come back, and numbers that change with them.
test("leaves out messages that Thunderbird deleted but still stores", async () => {
  const deleted = ["X-Mozilla-Status: 0009", ...message("Two", "Gone.")]
  const found = await read(
    lines(
      "\n",
      separator(),
      ...message("One", "a"),
      separator(),
      ...deleted,
      separator(),
      ...message("Three", "c"),
    ),
  )
  expect(found).toEqual({ 1: ["One", "a"], 3: ["Three", "c"] })
})

// Catches mailboxes without an extension that are read as one text, and texts that are taken for mailboxes.
test("is recognised by its content if its name has no extension", async () => {
  const bytes = lines("\r\n", separator("-"), ...message("One", "Hello."))
  const detect = async (content: Uint8Array, name: string) => {
    const detection = await detectUpload(content, name, "full")
    return "format" in detection ? detection.format.name : "unsupported"
  }
  expect(await detect(bytes, "INBOX")).toBe("mbox")
  expect(await detect(Buffer.concat([bytes, Buffer.alloc(900, 0x81)]), "Sent Messages")).toBe("mbox")
  expect(await detect(bytes, "letter.txt")).toBe("text")
  expect(await detect(Buffer.from("From here to there\nand back"), "README")).toBe("text")
})

// Catches attachments after the thousandth that are lost, although each message has few, and a note of a thousand sentences.
test("has room for attachments in each message, and a note that stays short", async () => {
  const all: string[] = []
  for (let number = 1; number <= 1100; number++)
    all.push(
      separator(),
      `Subject: ${number}`,
      'Content-Type: multipart/mixed; boundary="x"',
      "",
      "--x",
      `Content-Disposition: attachment; filename="${number % 2 ? "a.txt" : "a.unknown"}"`,
      "",
      `Attachment ${number}`,
      "--x--",
      "",
    )
  const { blocks, notes } = await parseBytes(mbox, lines("\n", ...all))
  expect(blocks.find(({ text }) => text === "Attachment 1099")?.location.message).toBe(1099)
  const names = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((number) => `#${number}/a.unknown`).join(", ")
  expect(notes).toEqual([
    `550 files were skipped (${names}, …): Casella can't read files such as "a.unknown".`,
  ])
})

// Catches a history that is found instead of the newest text, or in which an answer is lost.
test("leaves out what an answer repeats of earlier messages in the mailbox", async () => {
  const price = "The teapot costs 300 euros, as agreed in March."
  const { blocks } = await parseBytes(
    mbox,
    lines(
      "\n",
      separator(),
      ...message("Price", price),
      separator(),
      ...message(
        "Re: Price",
        "The teapot costs 350 euros now.",
        "",
        "On 5 March 2024, Ada wrote:",
        `> ${price}`,
      ),
      separator(),
      ...message(
        "Re: Price",
        "Thanks.",
        "",
        "On 4 March 2024, Bob wrote:",
        "> Is the sugar bowl still for sale?",
      ),
    ),
  )
  const found = blocks.filter(({ text }) => !/^(From:|Re: |Price)/.test(text))
  expect(found.map(({ kind, text, location }) => [kind, text, location.message])).toEqual([
    ["paragraph", price, 1],
    ["paragraph", "The teapot costs 350 euros now.", 2],
    ["paragraph", "Thanks.", 3],
    ["quote", "On 4 March 2024, Bob wrote:\n> Is the sugar bowl still for sale?", 3],
  ])
})

// Catches a mailbox that is dated by its first message, and people who are known from one message only.
test("is dated by its newest message", async () => {
  const dated = (subject: string, date: string, from: string) => [
    `Date: ${date}`,
    `From: ${from}`,
    `Subject: ${subject}`,
    "",
    "x",
    "",
  ]
  const { date, people } = await parseBytes(
    mbox,
    lines(
      "\n",
      separator(),
      ...dated("One", "Tue, 05 Mar 2024 10:00:00 +0100", "ada@example.org"),
      separator(),
      ...dated("Two", "Fri, 20 Nov 2026 10:00:00 +0000", "bob@example.org"),
      separator(),
      ...dated("Three", "Mon, 01 Jan 2024 10:00:00 +0000", "ada@example.org"),
    ),
  )
  expect(date?.toISOString()).toBe("2026-11-20T10:00:00.000Z")
  expect(people.map(({ address }) => address)).toEqual(["ada@example.org", "bob@example.org"])
})

// Catches a file without messages that is completed with nothing.
test("fails without messages", async () => {
  await expect(parseBytes(mbox, "Hello.\n\nFrom me")).rejects.toThrow("isn't a valid mailbox")
})
