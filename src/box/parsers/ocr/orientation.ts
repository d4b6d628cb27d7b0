import { crc32 } from "node:zlib"

/** What Exif calls a picture that is to be turned clockwise by a quarter, three quarters, and half. */
export const turns = [6, 8, 3]
const quarter = 6
const half = 3

const signatureAndHeader = 33
/** Smaller areas are looked at whole. */
const smallestPart = 800

/** An area of a picture, in pixels from the top left. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** The same PNG with a note of Exif on how to turn it, because Tesseract clips a picture that it turns itself. */
export function turned(png: Buffer, turn: number): Buffer {
  // a big-endian TIFF header with its directory at 8, and one entry there: tag 0x0112, a short, once
  const exif = [
    0x4d,
    0x4d,
    0,
    0x2a,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    turn,
    0,
    0,
    0,
    0,
    0,
    0,
  ]
  const body = Buffer.concat([Buffer.from("eXIf"), Buffer.from(exif)])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(exif.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return Buffer.concat([png.subarray(0, signatureAndHeader), chunk, png.subarray(signatureAndHeader)])
}

/** Where an area of a PNG lies once the picture is turned. */
export function turnedArea(png: Buffer, turn: number, area: Area): Area {
  const { left, top, width, height } = area
  const right = png.readUInt32BE(16) - left - width
  const bottom = png.readUInt32BE(20) - top - height
  if (turn === half) return { left: right, top: bottom, width, height }
  const turnedSize = { width: height, height: width }
  return turn === quarter
    ? { left: bottom, top: left, ...turnedSize }
    : { left: top, top: right, ...turnedSize }
}

/** The middle of an area, large enough to show whether text in it is legible. */
export function middleOf({ left, top, width, height }: Area): Area {
  const part = (length: number): number => Math.min(length, Math.max(smallestPart, Math.floor(length / 3)))
  const [columns, rows] = [part(width), part(height)]
  return {
    left: left + Math.floor((width - columns) / 2),
    top: top + Math.floor((height - rows) / 2),
    width: columns,
    height: rows,
  }
}
