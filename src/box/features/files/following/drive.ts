import { lstat } from "node:fs/promises"

/** Returns the device of a directory. */
export const getDevice = async (path: string): Promise<string> =>
  String((await lstat(path, { bigint: true })).dev)

/** Throws if the directory is on another device: after a drive is unplugged, an empty directory may be in its place. */
export async function requireDrive(path: string, device: string): Promise<void> {
  if ((await getDevice(path)) !== device) throw new Error("The folder's drive was taken away.")
}
