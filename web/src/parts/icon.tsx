/** Line drawings in a square of 24. */
const PATHS = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  unread: 'M12 12m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0M12 12m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
  all: 'M4 6h16M4 12h16M4 18h16',
  star: 'm12 3.5 2.6 5.6 6 .8-4.4 4.2 1.1 6.1L12 17.2l-5.3 3 1.1-6.1L3.4 9.9l6-.8z',
  later: 'M7 3.5h10v17l-5-4-5 4z',
  hot: 'M12 3c1 4 5 5.5 5 11a5 5 0 0 1-10 0c0-2.5 1.5-4 2.2-5.5.8 1 1.3 1.8 1.5 3C12 9 12.3 6 12 3z',
  folder: 'M3 6.5h7l2 2.5h9v10H3z',
  search: 'M10.5 10.5m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0M15 15l5.5 5.5',
  newsroom: 'M4 5h13v14H5.5A1.5 1.5 0 0 1 4 17.5zM17 9h3v8.5a1.5 1.5 0 0 1-3 0M7 8.5h7M7 12h7M7 15.5h4',
  global: 'M12 12m-8.5 0a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M3.5 12h17M12 3.5c-5 5-5 12 0 17c5-5 5-12 0-17',
  stories: 'M5 20V11M12 20V4M19 20v-6',
  people:
    'M9 8m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M2.5 20c0-4 3-6.5 6.5-6.5s6.5 2.5 6.5 6.5M16 5a3.5 3.5 0 0 1 0 6.5M17.5 14c2.5.8 4 3 4 6',
  pipelines: 'M3.5 6.5h6v5h5v-5h6M3.5 17.5h17M9.5 11.5v6M14.5 11.5v6',
  items: 'M8.5 6H20M8.5 12H20M8.5 18H20M4 6h.5M4 12h.5M4 18h.5',
  sources: 'M5 12a7 7 0 0 1 7 7M5 6a13 13 0 0 1 13 13M6 18h.5',
  attention: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10.5 20.5h3',
  settings:
    'M12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2',
  menu: 'M4 7h16M4 12h16M4 17h16',
  check: 'm4.5 12.5 5 5 10-11',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 3.5v4.5H15',
  more: 'M5.5 12m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0M12 12m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0M18.5 12m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0',
  view: 'M4 8h8M17 8h3M4 16h3M12 16h8M14.5 8m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M9.5 16m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
  chevron: 'm9 6 6 6-6 6',
  back: 'm15 6-6 6 6 6',
  close: 'm6 6 12 12M18 6 6 18',
  external: 'M10 5H5v14h14v-5M13.5 4.5h6v6M19 5l-8.5 8.5',
  account: 'M12 8.5m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4.5 20.5c0-4 3.5-6.5 7.5-6.5s7.5 2.5 7.5 6.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, filled = false }: { readonly name: IconName; readonly filled?: boolean }) {
  return (
    <svg
      class={filled ? 'icon icon-filled' : 'icon'}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
