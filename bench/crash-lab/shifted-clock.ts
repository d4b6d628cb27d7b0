// Imported into a box's process before any of its code. It shifts the calendar by CASELLA_LAB_CLOCK_MS, but not the timers.
const offMs = Number(process.env["CASELLA_LAB_CLOCK_MS"])
const RightDate = Date

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: [number]) =>
    new target(...(args.length > 0 ? args : ([target.now() + offMs] as [number]))),
  get: (target, name) => (name === "now" ? () => RightDate.now() + offMs : Reflect.get(target, name)),
})
