/** Returns black or white, whichever is easier to read on a colour such as #4F46E5 (WCAG 2 contrast). */
export function readableOn(hex: string): "#000000" | "#ffffff" {
  const luminance = computeLuminance(hex)
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff"
}

/** The same for an icon: white, unless its contrast is below the 3:1 that WCAG 2 requires for graphics. */
export const glyphOn = (hex: string): "#000000" | "#ffffff" =>
  1.05 / (computeLuminance(hex) + 0.05) >= 3 ? "#ffffff" : "#000000"

function computeLuminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
