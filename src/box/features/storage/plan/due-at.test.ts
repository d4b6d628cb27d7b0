import { expect, it } from "vitest"
import type { BackupPlan } from "../../../../shared/contract/storage.ts"
import { dueAt } from "./planned-backups.ts"

const at = (text: string) => new Date(`${text}:00`).getTime()
const plan = (changes: Partial<BackupPlan>): BackupPlan => ({
  every: "day",
  weekday: 1,
  at: "21:30",
  directory: "/backups",
  keep: 3,
  ...changes,
})

// Catches a backup at the wrong time, one that is made twice, and one that waits a day too long. 2026-03-04 is a Wednesday.
it.each([
  ["today, when its time is ahead", {}, "2026-03-04T20:00", "none", "2026-03-04T21:30"],
  ["tomorrow, when its time is over", {}, "2026-03-04T22:00", "none", "2026-03-05T21:30"],
  ["tomorrow, once it was made", {}, "2026-03-04T21:30", "made", "2026-03-05T21:30"],
  ["an hour after it failed", {}, "2026-03-04T21:31", "failed", "2026-03-04T22:31"],
  ["at its time, if that is sooner", {}, "2026-03-04T21:00", "failed", "2026-03-04T21:30"],
  ["on its weekday", { every: "week" }, "2026-03-04T20:00", "made", "2026-03-09T21:30"],
  ["a week later", { every: "week", weekday: 3 }, "2026-03-04T21:35", "made", "2026-03-11T21:30"],
  ["over the end of a year", { at: "00:10" }, "2026-12-31T12:00", "made", "2027-01-01T00:10"],
  ["at once, where any time will do", { at: null }, "2026-03-04T20:00", "none", "2026-03-04T20:00"],
  ["on the next day, where it was made", { at: null }, "2026-03-04T20:00", "made", "2026-03-05T00:00"],
  [
    "on its weekday, at any time",
    { every: "week", at: null },
    "2026-03-04T20:00",
    "none",
    "2026-03-09T00:00",
  ],
] as const)("is due %s", (_, changes, since, last, due) => {
  expect(new Date(dueAt(plan(changes), { since: at(since), last }))).toEqual(new Date(at(due)))
})
