import { crc32 } from "node:zlib"

/** What Exif calls a picture that is to be turned clockwise by a quarter, three quarters, and half. */
export const turns = [6, 8, 3]
const half = 3

const signatureAndHeader = 33
/** Smaller pictures are looked at whole. */
const smallestPart = 800

export interface TurnedPicture {
  picture: Uint8Array
  /** The middle of it as it is then shown. */
  middle: { left: number; top: number; width: number; height: number }
}

/** The same PNG with a note of Exif on how to turn it, because Tesseract clips a picture that it turns itself. */
export function turned(png: Buffer, turn: number): TurnedPicture {
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
  const picture = Buffer.concat([
    png.subarray(0, signatureAndHeader),
    chunk,
    png.subarray(signatureAndHeader),
  ])
  const stored = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const [width = 0, height = 0] = turn === half ? stored : stored.toReversed()
  const [left, columns] = middleOf(width)
  const [top, rows] = middleOf(height)
  return { picture, middle: { left, top, width: columns, height: rows } }
}

function middleOf(length: number): [start: number, length: number] {
  const part = Math.min(length, Math.max(smallestPart, Math.floor(length / 3)))
  return [Math.floor((length - part) / 2), part]
}
