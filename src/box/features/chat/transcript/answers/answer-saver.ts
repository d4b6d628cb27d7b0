import { DatabaseBusy } from "../../../../core/database/database.ts"

/** Save interval: newer text may be lost if the box is killed. */
const saveEveryMs = 500

export interface AnswerSaver {
  /** Schedules a save of new content. */
  touch(): void
  /** Saves new content immediately. Throws if it can't. */
  flush(): Promise<void>
  /** Settles when no save is running and none will start. */
  stop(): Promise<void>
}

/**
 * Saves the unsaved part of an answer while it is written, one save at a time. A save blocked by another program's lock is retried while
 * the answer continues. Any other failure is passed to `onFailure`, and no save follows it, so that the stored text has no holes.
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
