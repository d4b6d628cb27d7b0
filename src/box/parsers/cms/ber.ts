import { failure, type ParseFailure } from "../parser.ts"

const maxDepth = 100

export const damagedSignature = (): ParseFailure => failure("signature_damaged")

/** An ASN.1 value in basic encoding (X.690). Its length may be indefinite, up to an end mark. */
export interface BerValue {
  tag: number
  start: number
  /** Undefined while the length is indefinite. */
  end: number | undefined
}

/** Reads values in place without copying. Throws `ParseFailure` if they exceed the bytes. */
export class BerReader {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  at(offset: number): BerValue {
    const tag = this.#byte(offset)
    let length = this.#byte(offset + 1)
    let start = offset + 2
    if ((tag & 0x1f) === 0x1f) throw damagedSignature()
    if (length === 0x80) return { tag, start, end: undefined }
    if (length > 0x80) {
      const count = length & 0x7f
      if (count > 6) throw damagedSignature()
      length = 0
      for (let index = 0; index < count; index++) length = length * 256 + this.#byte(start++)
    }
    if (start + length > this.bytes.length) throw damagedSignature()
    return { tag, start, end: start + length }
  }

  /** Yields the values inside a constructed value. */
  *within({ start, end }: BerValue): Generator<BerValue, void, undefined> {
    for (let at = start; end === undefined ? !this.#isEndMark(at) : at < end;) {
      const value = this.at(at)
      yield value
      at = this.#after(value, 0)
    }
  }

  /** Returns the content of an octet string, which may consist of nested pieces. */
  octets(value: BerValue): Buffer {
    const parts: Buffer[] = []
    this.#gather(value, parts, 0)
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  #gather(value: BerValue, parts: Buffer[], depth: number): void {
    if (depth > maxDepth) throw damagedSignature()
    const constructed = (value.tag & 0x20) !== 0
    if (!constructed && value.end !== undefined) parts.push(this.bytes.subarray(value.start, value.end))
    else for (const inner of this.within(value)) this.#gather(inner, parts, depth + 1)
  }

  /** Returns the start of the next value. */
  #after(value: BerValue, depth: number): number {
    if (value.end !== undefined) return value.end
    if (depth > maxDepth) throw damagedSignature()
    let at = value.start
    while (!this.#isEndMark(at)) at = this.#after(this.at(at), depth + 1)
    return at + 2
  }

  #isEndMark(at: number): boolean {
    return this.#byte(at) === 0 && this.#byte(at + 1) === 0
  }

  #byte(at: number): number {
    const byte = this.bytes[at]
    if (byte === undefined) throw damagedSignature()
    return byte
  }
}
