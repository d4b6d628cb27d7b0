/** Returns the key stream of RC4, which Node's and Electron's crypto libraries no longer support. */
export function rc4Stream(key: Uint8Array, length: number): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const at = (index: number): number => state[index & 255] ?? 0
  const swap = (a: number, b: number): void => {
    const kept = at(a)
    state[a] = at(b)
    state[b] = kept
  }
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  const stream = Buffer.alloc(length)
  for (let index = 0, i = 0, j = 0; index < length; index++) {
    i = (i + 1) & 255
    j = (j + at(i)) & 255
    swap(i, j)
    stream[index] = at(at(i) + at(j))
  }
  return stream
}

/** Encrypts or decrypts in place. */
export function xor(bytes: Buffer, stream: Uint8Array): Buffer {
  for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] ?? 0) ^ (stream[at] ?? 0)
  return bytes
}
