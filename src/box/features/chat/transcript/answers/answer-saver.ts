import { DatabaseBusy } from "../../../../core/database/database.ts"

/** Text younger than this may be lost when the box is killed. */
const saveEveryMs = 500

export interface AnswerSaver {
  /** There is something new: it is saved soon. */
  touch(): void
  /** Saves what is new at once. Throws where it can't be. */
  flush(): Promise<void>
  /** Settles when no save is running and none will start. */
  stop(): Promise<void>
}

/**
 * Saves an answer while it is written, one save at a time: whatever of it isn't stored yet. A save that another program's lock
 * held up is tried again while the answer goes on; `onFailure` is told why another one failed. None follows it: what is
 * stored has no hole.
 */
export function createAnswerSaver(
  save: () => Promise<void>,
  onFailure: (cause: unknown) => void,
): AnswerSaver {
  let timer: NodeJS.Timeout | undefined
  let saving = Promise.resolve()
  let stopped = false

  async function saveOnceFree(): Promise<void> {
    try {
      await save()
    } catch (cause) {
      if (stopped || !(cause instanceof DatabaseBusy)) throw cause
      await saveOnceFree()
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return (saving = saving.then(saveOnceFree))
  }

  return {
    touch() {
      timer ??= setTimeout(() => void flush().catch(onFailure), saveEveryMs)
    },
    flush,
    stop() {
      stopped = true
      clearTimeout(timer)
      return saving.catch(() => undefined)
    },
  }
}
