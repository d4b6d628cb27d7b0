import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AppError } from "../../../../shared/contract/errors.ts"
import { readGgufHeader } from "./gguf-header.ts"
import { planChatModel, planEmbeddingModel } from "../model-plan.ts"
import { ensureTestEmbeddingModel, ensureTestModel } from "../testing/test-models.ts"

const directory = mkdtempSync(join(tmpdir(), "casella-gguf-"))
const file = join(directory, "mutant.gguf")
let valid: Buffer

beforeAll(() => {
  valid = readFileSync(ensureTestModel())
})
afterAll(() => rmSync(directory, { recursive: true }))

test("reads the planning data from models of both kinds", () => {
  const chat = readGgufHeader(ensureTestModel())
  expect(chat.architecture).toBe("llama")
  expect(chat.metadata.get("llama.context_length")).toBe(8192)
  expect(chat.tensorBytes).toBeGreaterThan(100_000)
  expect(chat.tensorBytes).toBeLessThan(valid.length)
  expect(readGgufHeader(ensureTestEmbeddingModel()).architecture).toBe("bert")
})

const corpus = resolve("../shared/corpus/models")
test("reads real models", { tags: "corpus" }, () => {
  expect(readGgufHeader(join(corpus, "stories260K.gguf")).metadata.get("llama.block_count")).toBe(5)
  expect(readGgufHeader(join(corpus, "potion-base-2M-f16.gguf")).metadata.get("bert.pooling_type")).toBe(1)
})

/** Overwrites bytes of the valid model. */
function patched(offset: number, bytes: number[] | Buffer): Buffer {
  const copy = Buffer.from(valid)
  Buffer.from(bytes).copy(copy, offset)
  return copy
}
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
const after = (text: string): number => valid.indexOf(text) + text.length
const huge = [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n, 2n ** 40n, 2n ** 32n - 1n]

const mutants: [string, () => Buffer][] = [
  ["empty", () => Buffer.alloc(0)],
  ["three bytes", () => Buffer.from("GGU")],
  ["text", () => Buffer.from("<!doctype html>".repeat(100))],
  ["zeros", () => Buffer.alloc(4096)],
  ["version 0", () => patched(4, [0])],
  ["version 1", () => patched(4, [1])],
  ["version 99", () => patched(4, [99])],
  ["big-endian", () => patched(4, [0, 0, 0, 3])],
  ["no tensors", () => patched(8, u64(0n))],
  ...huge.map((count): [string, () => Buffer] => [`${count} tensors`, () => patched(8, u64(count))]),
  ...huge.map((count): [string, () => Buffer] => [`${count} entries`, () => patched(16, u64(count))]),
  ...huge.map((length): [string, () => Buffer] => [
    `a key of ${length} bytes`,
    () => patched(24, u64(length)),
  ]),
  ...huge.map((length): [string, () => Buffer] => [
    `a list of ${length} tokens`,
    () => patched(after("tokenizer.ggml.tokens") + 8, u64(length)),
  ]),
  ...huge.map((length): [string, () => Buffer] => [
    `a token of ${length} bytes`,
    () => patched(after("tokenizer.ggml.tokens") + 16, u64(length)),
  ]),
  ...huge.map((size): [string, () => Buffer] => [
    `a tensor of ${size} rows`,
    () => patched(after("token_embd.weight") + 4, u64(size)),
  ]),
  ...huge.map((offset): [string, () => Buffer] => [
    `a tensor at ${offset}`,
    () => patched(after("token_embd.weight") + 24, u64(offset)),
  ]),
  ["a tensor of no rows", () => patched(after("token_embd.weight") + 4, u64(0n))],
  ["a tensor of 4 billion dimensions", () => patched(after("token_embd.weight"), [255, 255, 255, 255])],
  ["a tensor between two addresses", () => patched(after("token_embd.weight") + 24, u64(7n))],
  ["a value of unknown type", () => patched(after("llama.context_length"), [77])],
  ["lists in lists in lists", () => patched(after("tokenizer.ggml.tokens") + 4, [9])],
  ["an architecture that is no word", () => patched(after("general.architecture") + 12, [0x2f, 0x2e])],
  ["cut in the header", () => valid.subarray(0, 1000)],
  ["cut in the tokens", () => valid.subarray(0, 4000)],
  ["cut in the weights", () => valid.subarray(0, valid.length - 5000)],
]

describe("refuses hostile and damaged files at once, with a reason", () => {
  test.each(mutants)("%s", (_name, build) => {
    writeFileSync(file, build())
    const memory = process.memoryUsage().rss
    expect(() => readGgufHeader(file)).toThrow(AppError)
    expect(process.memoryUsage().rss - memory).toBeLessThan(64 << 20)
  })

  test("a missing file", () => {
    expect(() => readGgufHeader(join(directory, "none.gguf"))).toThrow(/can't be opened/)
  })

  test("a huge sparse file with endless entries", () => {
    writeFileSync(file, valid.subarray(0, 24))
    truncateSync(file, 2 ** 34)
    expect(() => readGgufHeader(file)).toThrow(AppError)
  })

  test("random changes, or reads them, with no other error", () => {
    let seed = 7
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return seed % below
    }
    for (let round = 0; round < 100; round++) {
      const copy = Buffer.from(valid)
      for (let change = 0; change < 3; change++) copy[random(12_000)] = random(256)
      writeFileSync(file, copy)
      try {
        readGgufHeader(file)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
      }
    }
  })
})

describe("fits a model into memory", () => {
  const header = {
    architecture: "llama",
    tensorBytes: 4 * 2 ** 30,
    metadata: new Map<string, number>([
      ["llama.context_length", 131_072],
      ["llama.block_count", 32],
      ["llama.embedding_length", 4096],
      ["llama.attention.head_count", 32],
      ["llama.attention.head_count_kv", 8],
    ]),
  }
  const gib = 2 ** 30

  test("with space for everything: the longest context within the limit, for two conversations at once", () => {
    expect(planChatModel(header, 32 * gib)).toEqual({ contextSize: 16_384, sequences: 2, isWhole: true })
    expect(planChatModel(header, 64 * gib, 32_768)).toEqual({
      contextSize: 32_768,
      sequences: 4,
      isWhole: true,
    })
    const short = { ...header, metadata: new Map(header.metadata).set("llama.context_length", 2048) }
    expect(planChatModel(short, 32 * gib)).toEqual({ contextSize: 2048, sequences: 4, isWhole: true })
    expect(planChatModel(short, 32 * gib, 32_768).contextSize).toBe(2048)
  })

  test("with less: first fewer conversations, then shorter ones, always within the free memory", () => {
    expect(planChatModel(header, 9 * gib, 8192)).toEqual({ contextSize: 8192, sequences: 2, isWhole: true })
    expect(planChatModel(header, 7 * gib, 8192)).toEqual({ contextSize: 8192, sequences: 1, isWhole: true })
    expect(planChatModel(header, 7 * gib)).toMatchObject({ sequences: 1, isWhole: true })
    const small = planChatModel(header, 5 * gib)
    expect(small).toMatchObject({ sequences: 1, isWhole: false })
    expect(small.contextSize).toBeLessThan(8192)
  })

  test("too large for the memory: reports the required and the free memory", () => {
    expect(() => planChatModel(header, 4 * gib)).toThrow(/needs 4\.\d GB of memory, but only 4 GB are free/)
    expect(() => planEmbeddingModel(header, 4 * gib)).toThrow(AppError)
  })

  test("with invalid metadata: still makes a valid plan", () => {
    const odd = {
      ...header,
      metadata: new Map([
        ["llama.context_length", -5],
        ["llama.block_count", Number.NaN],
      ]),
    }
    expect(planChatModel(odd, 32 * gib)).toEqual({ contextSize: 8192, sequences: 4, isWhole: true })
  })
})

test("reports that a path is a directory", () => {
  expect(() => readGgufHeader(tmpdir())).toThrow("folder")
})
