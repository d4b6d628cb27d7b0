import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path))

/** Width and height from a PNG's header; throws if it isn't a PNG. */
function getSize(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString("latin1")).toBe("PNG")
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

test.each(["build/icons/icon.ico", "resources/desktop/tray.ico"])(
  "%s contains PNGs of the sizes it names",
  (path) => {
    const icon = read(path)
    expect([icon.readUInt16LE(0), icon.readUInt16LE(2)]).toEqual([0, 1])
    const count = icon.readUInt16LE(4)
    expect(count).toBeGreaterThan(3)
    for (let index = 0; index < count; index++) {
      const entry = 6 + 16 * index
      const start = icon.readUInt32LE(entry + 12)
      const png = icon.subarray(start, start + icon.readUInt32LE(entry + 8))
      const size = icon.readUInt8(entry) || 256
      expect(getSize(png)).toEqual([size, size])
    }
  },
)

// electron-builder requires at least 512 pixels for macOS.
test("the Apple icon contains PNGs up to 1024 pixels, and its lengths add up", () => {
  const icon = read("build/icons/icon.icns")
  expect(icon.readUInt32BE(4)).toBe(icon.length)
  const widths: number[] = []
  for (let at = 8; at < icon.length; at += icon.readUInt32BE(at + 4)) {
    widths.push(getSize(icon.subarray(at + 8, at + icon.readUInt32BE(at + 4)))[0])
  }
  expect(Math.max(...widths)).toBe(1024)
})

test("Linux's icons and the tray's exist in their sizes", () => {
  for (const size of [16, 32, 48, 64, 128, 256, 512])
    expect(getSize(read(`build/icons/linux/${size}x${size}.png`))).toEqual([size, size])
  expect(getSize(read("resources/desktop/trayTemplate@2x.png"))).toEqual([36, 36])
  for (const name of ["tray.png", "trayTemplate.png", "badge.png"])
    expect(existsSync(join(root, "resources/desktop", name)), name).toBe(true)
})
