import type { DataDirectory } from "../core/data-directory/watch-data-directory.ts"
import {
  removeRunFile,
  wasInterrupted,
  writeRunFile,
  type RunFile,
} from "../core/data-directory/instance-lock.ts"
import type { Logger } from "../core/logging/logger.ts"

/** Keeps the running box's address in its data directory for commands. */
export interface AddressNote {
  write(running: RunFile, logger: Logger): void
  /** Writes the address again if it was removed. */
  restore(): void
  remove(place: DataDirectory): void
}

export function createAddressNote(dataDir: string): AddressNote {
  let written: RunFile | undefined
  return {
    write(running, logger) {
      written = running
      try {
        writeRunFile(dataDir, running)
      } catch (error) {
        logger.warn({ err: error }, "Commands won't find this box: its address couldn't be written down")
      }
    },
    restore() {
      if (written && !wasInterrupted(dataDir)) writeRunFile(dataDir, written)
    },
    remove(place) {
      written = undefined
      if (place.isInPlace()) removeRunFile(dataDir) // another box may have started in its place
    },
  }
}
