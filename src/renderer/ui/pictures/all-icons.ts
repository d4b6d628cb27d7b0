/** All icons by PascalCase name. The module is large, so it is loaded only for an icon outside the common ones. */
export { icons as allIcons } from "lucide-react"
