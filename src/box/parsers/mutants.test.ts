import { expect, test } from "vitest"
import { maxBlockCharacters, ParseFailure } from "./parser.ts"
import { formats } from "./registry.ts"
import { createRandom, mutate, parseBytes } from "./testing/parse-bytes.ts"

const samples: Record<string, string> = {
  text: "A paragraph — with “quotes”.\r\n\r\nПривет\n日本語 🙂\n",
  markdown:
    "---\na: b\n---\n# One\n## Two\n| a | b |\n|---|---|\n| 1 | 2 |\n```js\ncode\n```\n![x](data:image/png;base64,AAAA)\n",
  code: "def f(a):\n    return a\n\nclass B:\n    x = '''\n\n'''\n",
  html: "<!doctype html><title>t</title><nav>n</nav><h1>a</h1><table><tr><th>x<th>y<tr><td>1<td>2</table><pre>p</pre><li>é &amp; &#128578;",
  json: '{"a":[1,{"b":"c\\u00e9\\ud83d\\ude42"}],"d":null,\n"e":{"f":"g"}} // x\n[true]',
  xml: '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE a><a b="c"><d>é &lt; <![CDATA[x]]></d><!-- c --><e f="1"/></a>',
  mbox: "From a@b.c Tue Mar  5 10:00:00 2024\nSubject: One\nContent-Type: multipart/mixed; boundary=x\n\n>From me\n--x\nContent-Disposition: attachment; filename=a.zip\nContent-Transfer-Encoding: base64\n\nUEsDBA==\n--x--\n\n",
  ics: 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID="Europe/Rome":20240305T100000\r\nDURATION:PT1H\r\nRRULE:FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20241231\r\nSUMMARY;LANGUAGE=it:a\\n\r\n b\r\nATTENDEE;CN=é:mailto:a@b.c\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  vcf: "BEGIN:VCARD\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\nller;;\nitem1.TEL;TYPE=home:1\nitem1.X-ABLABEL:x\nBDAY:1980-03-05\nEND:VCARD\n",
  csv: 'a;b;"c ""x"""\n1;"two\nlines";3\n;;\n"open;4\n5;6;7\n',
}

// A damaged file is read as far as possible or refused with a sentence. Any other error would be logged as an internal one.
test.for(Object.entries(samples))("300 damaged %s files", async ([name, sample]) => {
  const load = formats.find((format) => format.name === name)?.load
  if (!load) throw new Error(`no parser for ${name}`)
  const parser = await load()
  const random = createRandom(name.length)
  for (let round = 0; round < 300; round++) {
    const mutant = mutate(Buffer.from(sample.repeat(1 + random(3))), random)
    const parsed = await parseBytes(parser, mutant, `a.${name}`).catch((error: unknown) => {
      if (error instanceof ParseFailure && error.message.endsWith(".")) return undefined
      throw new Error(`round ${round}: ${mutant.toString("base64")}`, { cause: error })
    })
    for (const { text, location } of parsed?.blocks ?? []) {
      expect(text.trim()).not.toBe("")
      expect(text.length).toBeLessThanOrEqual(maxBlockCharacters)
      expect(location.line ?? 1).toBeGreaterThan(0)
    }
  }
})
