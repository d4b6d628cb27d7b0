import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { engineVersion } from "../../engines/llama/native-code.ts"
import { startTestBox } from "../../testing/test-box.ts"

// Would catch: a card that failed once, which only whoever finds a file of the box's and deletes it has tried again.
it("forgets that the graphics card failed, over a restart too", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-gpu-"))
  const file = join(dataDir, "gpu.json")
  const failed = { version: engineVersion, result: "failed", memoryBytes: 0, at: Date.now() }
  {
    await using box = await startTestBox({ dataDir })
    await writeFile(file, JSON.stringify(failed))
    await box.restart()
    const trial = async () => (await box.client.models.catalogue()).computer.gpu
    expect(await trial()).toBe("failed")
    await box.client.models.tryGpuAgain()
    expect(await trial()).toBeNull()
    expect(existsSync(file)).toBe(false)
    await box.restart()
    expect(await trial()).toBeNull()
  }
  await rm(dataDir, { recursive: true, force: true })
})
