import { expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { vcf } from "./vcf.ts"

const card = (...lines: string[]): string => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n")
const texts = async (source: string | Uint8Array) =>
  (await parseBytes(vcf, source, "a.vcf")).blocks.map(({ text }) => text)

// Catches contacts that run into each other, and fields in the notation of one version only.
test("reads contacts of all versions, many in one file", async () => {
  const found = await texts(
    card(
      "VERSION:2.1",
      "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;Dr.",
      "TEL;WORK;VOICE:+49 30 1234",
      "ADR;HOME;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:;;Hauptstra=DFe 1=",
      "2;Berlin;;10115;Germany",
      "PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD",
      "",
    ) +
      card(
        "VERSION:3.0",
        "FN:Anna Rossi",
        "N:Rossi;Anna;;;",
        "ORG:Acme\\, Inc.;Sales",
        "TITLE:Head",
        "item1.EMAIL;type=INTERNET;type=pref:anna@example.org",
        "item1.X-ABLabel:_$!<Work>!$_",
        "BDAY:1980-03-05",
        "NOTE:Likes tea.\\nNot co",
        " ffee.",
      ) +
      card(
        "VERSION:4.0",
        "FN:Bob",
        'TEL;VALUE=uri;TYPE="cell,home":tel:+1-555-0100',
        "CATEGORIES:friends,choir",
        "KIND:individual",
      ),
  )
  expect(found).toEqual([
    "Dr. Jörg Müller",
    "Phone (work): +49 30 1234\nAddress (home): Hauptstraße 12, Berlin, 10115, Germany",
    "Anna Rossi",
    "Organisation: Acme, Inc., Sales\nTitle: Head\nEmail (Work): anna@example.org\nBirthday: Wednesday 5 March 1980 (1980-03-05)",
    "Likes tea.\nNot coffee.",
    "Bob",
    "Phone (cell, home): +1-555-0100\nCategories: friends, choir",
  ])
})

// Catches a contact that is lost because its end is, a large picture kept in memory, and a file that is completed with nothing.
test("reads damaged files as far as they go", async () => {
  const photo = `PHOTO;ENCODING=b:${"A".repeat(75)}\r\n${` ${"A".repeat(74)}\r\n`.repeat(20_000)}`
  expect(await texts(`BEGIN:VCARD\r\n${photo}FN:Ada\r\nBEGIN:VCARD\r\nFN:Bob`)).toEqual(["Ada", "Bob"])
  await expect(texts("hello")).rejects.toThrow("no contacts")
  const detected = await detectUpload(Buffer.from(card("FN:Ada")), "attachment", "full")
  expect(detected).toMatchObject({ format: { name: "vcf" } })
})
