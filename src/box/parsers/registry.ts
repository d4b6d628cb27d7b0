import type { Parser } from "./parser.ts"
import type { SheetsReader } from "./sheets/sheet-rows.ts"

/** The files that a folder accepts: everything, or only PDF and images. */
export type Pipeline = "full" | "light"

/** A file type that folders accept. To add one, write a file with a `Parser` and an entry in `formats`. */
export interface Format {
  name: string
  /** In lower case, without the dot. */
  extensions: readonly string[]
  /** Kind of content; `either` if real files are just as often text (a `.doc` that contains RTF or HTML). */
  content: "text" | "binary" | "either"
  /** The `file-type` library's names for such content, and container types that only the extension distinguishes. */
  fileTypes?: readonly string[]
  containers?: readonly ("zip" | "cfb")[]
  /** Recognises content that `file-type` doesn't know. */
  recognises?: (head: Uint8Array) => boolean
  /** Whether a file without an extension is of this type if `recognises` says so. */
  byContent?: true
  /** Whether folders with the light pipeline accept it. */
  light?: true
  /**
   * Version of the reader, 1 by default. Raise it when the reader yields other text for the same file: files that an older version read are
   * then read again in the background.
   */
  version?: number
  /** Whether it can contain hidden rows, columns, sheets or text, which folders may include. */
  hidesParts?: true
  /** Whether it may contain pictures whose text is read if the folder wants it. */
  pictures?: true
  load: () => Promise<Parser>
  /** Reads the cells of a spreadsheet as values, for tables. */
  sheets?: () => Promise<SheetsReader>
}

/** A byte order mark is left out. */
const toText = (head: Uint8Array): string =>
  String.fromCharCode(...head.subarray(0, 2048)).replace(/^\xef\xbb\xbf/, "")

/** Whether text starts like a mailbox: with a line that separates messages, and a header. */
const looksLikeMailbox = (start: string): boolean =>
  /^\s*From [^\r\n]{1,1000}\r?\n([!-9;-~]+[ \t]*:|>From )/.test(start)

const codeExtensions =
  "py pyw pyi ipy js mjs cjs jsx ts mts cts tsx vue svelte astro java kt kts groovy gradle scala clj cljs cljc " +
  "go rs c h cc cpp cxx hh hpp hxx ino cs fs fsx vb swift m mm rb erb rake php phtml pl pm lua r jl dart ex exs " +
  "erl hrl hs lhs ml mli elm nim zig v sv vhd vhdl d pas pp f f90 f95 for cob cbl asm s lisp lsp el scm rkt tcl " +
  "sh bash zsh fish ksh ps1 psm1 psd1 bat cmd awk sed sql psql ddl graphql gql proto thrift avdl css scss sass " +
  "less styl yaml yml toml ini cfg conf config properties env editorconfig desktop service tf tfvars hcl nix " +
  "dockerfile containerfile makefile mk mak cmake bazel bzl ninja j2 tmpl hbs mustache ejs pug haml liquid twig " +
  "sol cu cuh glsl hlsl wgsl vert frag metal gd rego cue dhall jsonnet libsonnet patch diff htaccess gitignore"

export const formats: readonly Format[] = [
  {
    name: "text",
    version: 2, // keeps mixed fractions apart
    extensions: [
      "txt",
      "text",
      "log",
      "rst",
      "adoc",
      "asciidoc",
      "org",
      "tex",
      "bib",
      "srt",
      "vtt",
      "textile",
    ],
    content: "text",
    load: async () => (await import("./formats/plain-text.ts")).plainText,
  },
  {
    name: "markdown",
    version: 2, // finds images
    extensions: ["md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd"],
    content: "text",
    pictures: true,
    load: async () => (await import("./formats/markdown.ts")).markdown,
  },
  {
    name: "code",
    extensions: codeExtensions.split(" "),
    content: "text",
    load: async () => (await import("./formats/plain-text.ts")).sourceCode,
  },
  {
    name: "html",
    version: 3, // keeps mixed fractions apart
    extensions: ["html", "htm", "xhtml", "shtml"],
    content: "text",
    pictures: true,
    load: async () => (await import("./formats/html.ts")).html,
  },
  {
    name: "json",
    version: 2, // leaves notebooks to a reader of their own, and keeps mixed fractions apart
    extensions: ["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest", "har"],
    content: "text",
    load: async () => (await import("./formats/json.ts")).json,
  },
  {
    name: "notebook",
    extensions: ["ipynb"],
    content: "text",
    pictures: true,
    load: async () => (await import("./formats/notebook.ts")).notebook,
  },
  {
    name: "xml",
    version: 2, // keeps mixed fractions apart
    extensions: (
      "xml xsd xsl xslt svg rss atom opml wsdl plist kml gpx tei dita dbk xliff xlf resx " +
      "csproj vbproj fsproj props targets nuspec pom ui xaml storyboard xib"
    ).split(" "),
    content: "text",
    load: async () => (await import("./formats/xml.ts")).xml,
  },
  {
    name: "csv",
    version: 2, // keeps mixed fractions apart
    extensions: ["csv", "tsv", "tab", "psv"],
    content: "text",
    load: async () => (await import("./formats/csv.ts")).csv,
    sheets: async () => (await import("./formats/csv.ts")).csvSheets,
  },
  {
    name: "pdf",
    version: 3, // keeps mixed fractions apart
    extensions: ["pdf"],
    content: "binary",
    fileTypes: ["pdf"],
    light: true,
    pictures: true,
    load: async () => (await import("./formats/pdf.ts")).pdf,
  },
  {
    name: "docx",
    version: 3, // keeps mixed fractions apart
    extensions: ["docx"],
    content: "binary",
    fileTypes: ["docx", "docm", "dotx", "dotm"],
    containers: ["zip", "cfb"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/docx.ts")).docx,
  },
  {
    name: "doc",
    version: 3, // finds images
    extensions: ["doc"],
    content: "either",
    containers: ["cfb"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/compound-file.ts")).compoundFile,
  },
  {
    name: "rtf",
    version: 3, // finds images
    extensions: ["rtf"],
    content: "binary",
    fileTypes: ["rtf"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/rtf.ts")).rtf,
  },
  {
    name: "word-xml",
    version: 3, // keeps mixed fractions apart
    extensions: [],
    content: "text",
    hidesParts: true,
    load: async () => (await import("./formats/docx.ts")).wordXml,
  },
  {
    name: "odt",
    version: 3, // keeps mixed fractions apart
    extensions: ["odt"],
    content: "binary",
    fileTypes: ["odt", "ott"],
    containers: ["zip"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/open-document.ts")).openDocument,
  },
  {
    name: "pptx",
    version: 3, // leaves out or marks hidden slides
    extensions: ["pptx"],
    content: "binary",
    fileTypes: ["pptx", "pptm", "potx", "potm", "ppsx", "ppsm"],
    containers: ["zip", "cfb"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/pptx.ts")).pptx,
  },
  {
    name: "ppt",
    version: 2, // leaves out or marks hidden slides, and finds images
    extensions: ["ppt"],
    content: "either",
    containers: ["cfb"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/compound-file.ts")).compoundFile,
  },
  {
    name: "odp",
    version: 3, // leaves out or marks hidden slides
    extensions: ["odp"],
    content: "binary",
    fileTypes: ["odp", "otp"],
    containers: ["zip"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/open-document.ts")).openDocument,
  },
  {
    name: "xlsx",
    version: 4, // keeps mixed fractions apart, and shows targets of links
    extensions: ["xlsx"],
    content: "binary",
    fileTypes: ["xlsx", "xlsm", "xltx", "xltm"],
    containers: ["zip", "cfb"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/xlsx.ts")).xlsx,
    sheets: async () => (await import("./formats/xlsx.ts")).xlsxSheets,
  },
  {
    name: "xlsb",
    version: 2, // finds images, text boxes, charts, links and raised digits
    extensions: ["xlsb"],
    content: "binary",
    containers: ["zip", "cfb"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/xlsb.ts")).xlsb,
    sheets: async () => (await import("./formats/xlsb.ts")).xlsbSheets,
  },
  {
    name: "xls",
    version: 2, // finds images, links and raised digits
    extensions: ["xls"],
    content: "either",
    containers: ["cfb"],
    // Excel 2 to 4 wrote bare BIFF records: 09 00, 09 02 or 09 04.
    recognises: (head) => head[0] === 0x09 && [0x00, 0x02, 0x04].includes(head[1] ?? -1),
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/compound-file.ts")).compoundFile,
    sheets: async () => (await import("./formats/xlsx.ts")).compoundSheets,
  },
  {
    name: "ods",
    version: 3, // keeps mixed fractions apart, and shows targets of links
    extensions: ["ods"],
    content: "binary",
    fileTypes: ["ods", "ots"],
    containers: ["zip"],
    hidesParts: true,
    pictures: true,
    load: async () => (await import("./formats/open-document.ts")).ods,
    sheets: async () => (await import("./formats/open-document.ts")).odsSheets,
  },
  {
    name: "epub",
    version: 3, // keeps mixed fractions apart
    extensions: ["epub"],
    content: "binary",
    fileTypes: ["epub"],
    containers: ["zip"],
    pictures: true,
    load: async () => (await import("./formats/epub.ts")).epub,
  },
  {
    name: "msg",
    version: 2, // writes times with their offset from UTC
    extensions: ["msg"],
    content: "binary",
    containers: ["cfb"],
    pictures: true,
    load: async () => (await import("./formats/compound-file.ts")).compoundFile,
  },
  {
    name: "eml",
    version: 2, // writes times with their offset from UTC
    extensions: ["eml"],
    content: "text",
    // Starts with a header; the rest may be in any encoding.
    recognises: (head) => /^[\w-]+:[ \t]/.test(String.fromCharCode(...head.subarray(0, 80))),
    pictures: true,
    load: async () => (await import("./formats/eml.ts")).eml,
  },
  {
    name: "mbox",
    version: 2, // writes times with their offset from UTC
    extensions: ["mbox", "mbx"],
    content: "text",
    recognises: (head) => looksLikeMailbox(toText(head)),
    byContent: true,
    pictures: true,
    load: async () => (await import("./formats/mbox.ts")).mbox,
  },
  {
    name: "ics",
    extensions: ["ics", "ical", "icalendar", "vcs"],
    content: "text",
    fileTypes: ["ics"],
    recognises: (head) => /^\s*BEGIN:VCALENDAR\b/i.test(toText(head)),
    byContent: true,
    load: async () => (await import("./formats/ics.ts")).ics,
  },
  {
    name: "vcf",
    extensions: ["vcf", "vcard"],
    content: "text",
    fileTypes: ["vcf"],
    recognises: (head) => /^\s*BEGIN:VCARD\b/i.test(toText(head)),
    byContent: true,
    load: async () => (await import("./formats/vcf.ts")).vcf,
  },
  {
    name: "zip",
    extensions: ["zip"],
    content: "binary",
    containers: ["zip"],
    load: async () => (await import("./formats/zip.ts")).zip,
  },
  {
    name: "p7m",
    extensions: ["p7m", "p7s"],
    content: "either",
    // An ASN.1 sequence (DER or BER), the same in base64, PEM, or a surrounding MIME part.
    recognises: (head) =>
      /^(0[\x80-\xff]|MI[A-Za-z]|-----BEGIN|Content-|MIME-)/.test(
        String.fromCharCode(...head.subarray(0, 16)),
      ),
    load: async () => (await import("./formats/p7m.ts")).p7m,
  },
  {
    name: "image",
    extensions: ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff"],
    content: "binary",
    fileTypes: ["png", "apng", "jpg", "gif", "webp", "bmp", "tif"],
    // The data that distinguishes a TIFF from a camera's raw image may be at the end, which hasn't arrived yet during an upload.
    recognises: (head) => /^(II\*\0|MM\0\*)/.test(String.fromCharCode(...head.subarray(0, 4))),
    light: true,
    load: async () => (await import("./formats/image.ts")).image,
  },
]

const byName = new Map(formats.map((format) => [format.name, format]))
const byExtension = new Map(
  formats.flatMap((format) => format.extensions.map((extension) => [extension, format])),
)
const byFileType = new Map(
  formats.flatMap((format) => (format.fileTypes ?? []).map((fileType) => [fileType, format])),
)

export const findFormat = (name: string): Format | undefined => byName.get(name)
export const findFormatByFileName = (name: string): Format | undefined => byExtension.get(getExtension(name))
/** Returns the format of a text whose name doesn't tell. */
export const findFormatByContent = (head: Uint8Array): Format | undefined =>
  formats.find(({ byContent, recognises }) => byContent && recognises?.(head))
export const findFormatByFileType = (fileType: string): Format | undefined => byFileType.get(fileType)

/** Extensions of files that may contain tables. */
export const spreadsheetExtensions = formats.flatMap(({ sheets, extensions }) => (sheets ? extensions : []))

/** Returns the text after the last dot, in lower case. A leading dot (`.gitignore`) or a number (`notes.2024`) isn't an extension. */
export function getExtension(name: string): string {
  const extension = /[^/\\]\.([^./\\\s]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? ""
  return /^\d+$/.test(extension) ? "" : extension
}

/** Returns the formats that a folder with this pipeline accepts. */
export function acceptedFormats(pipeline: Pipeline): readonly Format[] {
  return pipeline === "full" ? formats : formats.filter((format) => format.light)
}
