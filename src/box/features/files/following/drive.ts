import { lstat } from "node:fs/promises"

/** The device that a directory lies on. */
export const deviceOf = async (path: string): Promise<string> =>
  String((await lstat(path, { bigint: true })).dev)

/** Throws once a directory lies on another device: a drive was unplugged, and in its place may be an empty directory. */
export async function requireDrive(path: string, device: string): Promise<void> {
  if ((await deviceOf(path)) !== device) throw new Error("The folder's drive was taken away.")
}
