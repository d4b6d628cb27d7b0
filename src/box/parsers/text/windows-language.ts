const codePages: Record<number, string> = {
  0x0401: "windows-1256",
  0x0402: "windows-1251",
  0x0404: "cp950",
  0x0405: "windows-1250",
  0x0408: "windows-1253",
  0x040d: "windows-1255",
  0x040e: "windows-1250",
  0x0411: "cp932",
  0x0412: "cp949",
  0x0415: "windows-1250",
  0x0418: "windows-1250",
  0x0419: "windows-1251",
  0x041a: "windows-1250",
  0x041b: "windows-1250",
  0x041e: "cp874",
  0x041f: "windows-1254",
  0x0422: "windows-1251",
  0x0424: "windows-1250",
  0x0425: "windows-1257",
  0x0426: "windows-1257",
  0x0427: "windows-1257",
  0x042a: "windows-1258",
  0x0804: "cp936",
}

/** Returns the name of the code page that Windows uses for 8-bit text in this language (MS-LCID). */
export function getLanguageCodePage(languageId: number): string {
  return codePages[languageId] ?? "windows-1252"
}
