/**
 * Where widgets run: interactive HTML that a model wrote, perhaps as a page or a document told it to. The box serves one
 * constant document at this path, the page shows it in `<iframe sandbox="allow-scripts">` and posts the widget's HTML
 * into it. A `srcdoc` frame wouldn't do: it inherits the page's own policy, which runs no inline scripts.
 */
export const widgetPath = "/widget"

/** What the frame says when it takes HTML; the page then posts `{ html }` to it. */
export const widgetReady = "casella-widget-ready"

/** What the frame says when its user presses Escape: the page then takes the keyboard, whatever the widget does with keys. */
export const widgetLeft = "casella-widget-left"

/** Characters of one widget. */
export const longestWidget = 200_000

/**
 * The frame's policy, which whatever is written into it keeps: an origin of its own, scripts and styles of its own, and no
 * address of any kind. The page's policy (`frame-src`) keeps it from leaving for another address.
 */
export const widgetPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "media-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ")

/**
 * What CSP doesn't cover: hints, lookups, and navigations before they are refused. `()` lists the addresses that the
 * frame may connect to, in browsers that know the header (Chromium 152 and later, which is what the desktop has).
 */
export const widgetConnections = "()"
