const hourMs = 60 * 60 * 1000
const morning = 8
const evening = 18

const todayAt = (now: Date, hour: number, daysLater = 0): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysLater, hour)

export const inAnHour = (now: Date): Date => new Date(now.getTime() + hourMs)

/** Undefined if the evening has started or starts within an hour. */
export function thisEvening(now: Date): Date | undefined {
  const begin = todayAt(now, evening)
  return begin > inAnHour(now) ? begin : undefined
}

/** The morning of the next calendar day, even after midnight. */
export const tomorrowMorning = (now: Date): Date => todayAt(now, morning, 1)
