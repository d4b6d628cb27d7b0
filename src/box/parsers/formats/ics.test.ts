import iconv from "iconv-lite"
import { describe, expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { ics } from "./ics.ts"

const calendar = (...lines: string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n")
const event = (...lines: string[]): string => calendar("BEGIN:VEVENT", ...lines, "END:VEVENT")
const texts = async (source: string | Uint8Array) =>
  (await parseBytes(ics, source, "a.ics")).blocks.map(({ text }) => text)

describe("a calendar", () => {
  // Catches dates that no one would type, lost people, alarms taken for events, and folded or escaped text.
  test("says its events in words", async () => {
    const { blocks, notes, date, people } = await parseBytes(
      ics,
      calendar(
        "X-WR-CALNAME:Work",
        "BEGIN:VTIMEZONE",
        "TZID:Europe/Rome",
        "BEGIN:STANDARD",
        "DTSTART:19701025T030000",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
        "END:STANDARD",
        "END:VTIMEZONE",
        "BEGIN:VEVENT",
        "DTSTART;TZID=Europe/Rome:20240305T100000",
        "DTEND;TZID=Europe/Rome:20240305T113000",
        "SUMMARY:Budget\\, first dra",
        " ft",
        "LOCATION:Room 4\\; upstairs",
        'ORGANIZER;CN="Rossi, Anna":mailto:anna@example.org',
        "ATTENDEE;CN=Ben;PARTSTAT=ACCEPTED:mailto:ben@example.org",
        "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:caf\u00e9@example.org",
        "DESCRIPTION:Bring the figures.\\n\\nAnd coffee.",
        "STATUS:CONFIRMED",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "DESCRIPTION:Reminder",
        "END:VALARM",
        "END:VEVENT",
      ),
      "a.ics",
    )
    expect(notes).toEqual([])
    expect(date?.toISOString()).toBe("2024-03-05T09:00:00.000Z")
    expect(people.map(({ address }) => address)).toEqual([
      "anna@example.org",
      "ben@example.org",
      "café@example.org",
    ])
    expect(blocks).toEqual([
      { kind: "heading", text: "Budget, first draft", location: { heading: "Work › Budget, first draft" } },
      {
        kind: "paragraph",
        text: [
          "When: Tuesday 5 March 2024, 10:00–11:30 (2024-03-05), Europe/Rome",
          "Where: Room 4; upstairs",
          "Organiser: Rossi, Anna <anna@example.org>",
          "Attendees: Ben <ben@example.org> (accepted); café@example.org",
        ].join("\n"),
        location: { heading: "Work › Budget, first draft" },
      },
      {
        kind: "paragraph",
        text: "Bring the figures.\nAnd coffee.",
        location: { heading: "Work › Budget, first draft" },
      },
    ])
  })

  // Catches the day after the last one of whole days, lengths instead of ends, and days that don't exist.
  test.for([
    [["DTSTART;VALUE=DATE:20240305", "DTEND;VALUE=DATE:20240306"], "Tuesday 5 March 2024 (2024-03-05)"],
    [
      ["DTSTART;VALUE=DATE:20240305", "DTEND;VALUE=DATE:20240308"],
      "Tuesday 5 March 2024 (2024-03-05) – Thursday 7 March 2024 (2024-03-07)",
    ],
    [["DTSTART:20240305T090000Z", "DURATION:PT45M"], "Tuesday 5 March 2024, 09:00–09:45 (2024-03-05), UTC"],
    [
      ["DTSTART:20240305T230000", "DTEND:20240306T010000"],
      "Tuesday 5 March 2024, 23:00 (2024-03-05) – Wednesday 6 March 2024, 01:00 (2024-03-06)",
    ],
    [["DTSTART:20240305"], "Tuesday 5 March 2024 (2024-03-05)"],
  ] as const)("writes %j as a time", async ([lines, expected]) => {
    expect(await texts(event("SUMMARY:x", ...lines))).toEqual(["x", `When: ${expected}`])
  })

  test("leaves out days that don't exist", async () => {
    expect(await texts(event("SUMMARY:x", "DTSTART:20240231T100000"))).toEqual(["x"])
  })

  // Catches rules in code, and words for a rule that they don't say.
  test.for([
    ["FREQ=DAILY", "every day"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every 2 weeks on Monday and Thursday"],
    ["FREQ=MONTHLY;BYDAY=-1FR;COUNT=6", "every month on the last Friday 6 times"],
    [
      "FREQ=MONTHLY;BYMONTHDAY=15;UNTIL=20241231T225959Z",
      "every month on day 15 until Tuesday 31 December 2024 (2024-12-31)",
    ],
    ["FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "every year on the second Sunday in May"],
    ["FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1"],
    ["FREQ=HOURLY", "FREQ=HOURLY"],
    ["nonsense", "nonsense"],
  ])("writes the rule %s as %s", async ([rule, expected]) => {
    expect(await texts(event("SUMMARY:x", `RRULE:${rule}`))).toEqual(["x", `Repeats: ${expected}`])
  })

  // Catches Italian events with English dates.
  test("is written in the language that it declares", async () => {
    const found = await texts(
      event(
        "SUMMARY;LANGUAGE=it-IT:Riunione",
        "DTSTART:20240305T100000",
        "RRULE:FREQ=MONTHLY;BYDAY=1SU",
        "STATUS:CANCELLED",
      ),
    )
    expect(found[1]?.split("\n")).toEqual([
      "Quando: martedì 5 marzo 2024, 10:00 (2024-03-05)",
      "Ripetizione: ogni mese di prima domenica",
      "Stato: annullato",
    ])
    expect((await texts(event("SUMMARY;LANGUAGE=de:Treffen", "DTSTART:20240305T100000")))[1]).toBe(
      "When: Dienstag, 5. März 2024, 10:00 (2024-03-05)",
    )
  })

  // Catches cancelled meetings that look as if they took place, and to-dos without their deadline.
  test("says what is cancelled and what is due", async () => {
    expect(await texts(calendar("METHOD:CANCEL", "BEGIN:VEVENT", "SUMMARY:x", "END:VEVENT"))).toEqual([
      "x",
      "Status: cancelled",
    ])
    const toDo = calendar(
      "BEGIN:VTODO",
      "SUMMARY:Pay the rent",
      "DUE;VALUE=DATE:20240401",
      "STATUS:NEEDS-ACTION",
      "PERCENT-COMPLETE:50",
      "END:VTODO",
    )
    expect(await texts(toDo)).toEqual([
      "Pay the rent",
      "Due: Monday 1 April 2024 (2024-04-01)\nStatus: to do\nProgress: 50 %",
    ])
  })

  // Catches letters of old programs, the quoted-printable of vCalendar 1.0, files of Windows in UTF-16, and attachments inside.
  test("is read in other encodings, with its attachments", async () => {
    expect(await texts(iconv.encode(event("SUMMARY:Perché no? Città"), "windows-1252"))).toEqual([
      "Perché no? Città",
    ])
    expect(await texts(Buffer.from(`\ufeff${event("SUMMARY:Caffè")}`, "utf16le"))).toEqual(["Caffè"])
    const old = event("SUMMARY;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Caf=E9 =", "de Paris")
    expect(await texts(old)).toEqual(["Café de Paris"])
    const base64 = Buffer.from("# Prices").toString("base64")
    expect(
      await texts(event("SUMMARY:x", `ATTACH;ENCODING=BASE64;VALUE=BINARY;FILENAME=a.md:${base64}`)),
    ).toEqual(["x", "Prices"])
  })

  // Catches a damaged calendar of which the events before the damage are lost, and a file that is completed with nothing.
  test("is read as far as it goes", async () => {
    expect(
      await texts("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:One\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Tw"),
    ).toEqual(["One", "Tw"])
    await expect(texts("hello")).rejects.toThrow("isn't a valid calendar")
  })

  test("is recognised by its content if its name has no extension", async () => {
    const detected = await detectUpload(Buffer.from(event("SUMMARY:x")), "attachment", "full")
    expect(detected).toMatchObject({ format: { name: "ics" } })
  })
})

// Catches a line or a list of parameters that takes time proportional to the square of its length.
test.for([
  ["a file without line breaks", "BEGIN:VCALENDAR\r\n" + "a".repeat(40_000_000)],
  ["a property with many parameters", event("SUMMARY:Tea", `ATTENDEE${";A".repeat(200_000)}:mailto:a@b.org`)],
  ["a parameter given many times", event("SUMMARY:Tea", `ATTENDEE${";CN=A".repeat(150_000)}:mailto:a@b.org`)],
] as const)("reads %s in little time", async ([, source]) => {
  const before = process.cpuUsage()
  await texts(source)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(5_000)
})

// Catches a line break that is lost, or counted twice, where one piece of the file ends and the next begins.
test("line breaks between two pieces of a file", async () => {
  for (const lineBreak of ["\r\n", "\n", "\r"])
    for (const shift of [-1, 0, 1]) {
      const head = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Tea", ""].join(lineBreak)
      const comment = "COMMENT:"
      const filler = comment + "x".repeat(64 * 1024 - head.length - comment.length - lineBreak.length + shift)
      const end = [filler, "LOCATION:Kitchen", "END:VEVENT", "END:VCALENDAR", ""].join(lineBreak)
      expect((await texts(head + end)).join("\n")).toContain("Where: Kitchen")
    }
})
