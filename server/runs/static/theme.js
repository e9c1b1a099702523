// Light or dark, as the device is: these pages have no settings.
const dark = matchMedia("(prefers-color-scheme: dark)"), apply = () => document.documentElement.classList.toggle("dark", dark.matches);
dark.addEventListener("change", apply);
apply();
