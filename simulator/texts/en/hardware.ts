import type { TopicTexts } from '../topic.ts';

export const hardware: TopicTexts = {
  name: 'Hardware',
  stories: [
    {
      title: '{company} shows a processor with {n:48-128} cores for small servers',
      lead: [
        '{company} presented a processor with {n:48-128} cores that draws no more than {n:90-160} watts.',
        'Memory sits on the same package, which shortens the way but fixes its size at purchase.',
        'The first boards go to universities in {month}.',
      ],
    },
    {
      title: 'Repairable laptop from {company}: every part held by {n:2-6} screws',
      lead: [
        'The new laptop of {company} can be opened with one screwdriver, and every part is held by at most {n:2-6} screws.',
        'Keyboard, battery and mainboard are sold separately for ten years, the maker promises.',
        'In our test the battery was changed in under four minutes.',
      ],
    },
    {
      title: 'Solid-state drives from {n:5-9} makers compared after a year of writes',
      lead: [
        'We wrote to {n:12-30} solid-state drives day and night for a year; three failed without a warning.',
        'The cheapest drives slowed to the speed of a hard disk once their cache was full.',
        'Only {n:4-8} kept every acknowledged write when the power was cut.',
      ],
    },
    {
      title: 'Open-source chip design from {city} passes first tests',
      lead: [
        'A RISC-V chip designed by students in {city} booted on the first attempt.',
        'It runs at {n:200-900} megahertz and was made with design tools that are free to use.',
        'The layout is published, so that anyone with a foundry contract can have it made.',
      ],
    },
    {
      title: 'Memory prices rise by {n:11-38} percent as factories switch production',
      lead: [
        'Prices for memory chips rose by {n:11-38} percent within a quarter.',
        'Factories are moving production to high-bandwidth memory for accelerators, and {company} has announced no new lines.',
        'Makers of small computers have begun to sell boards with half the memory.',
      ],
    },
  ],
  background: [
    'Chips are designed on one continent, made on another and sold on all.',
    'Measured in a laboratory, power consumption often differs from what the data sheet promises.',
    'Demand for memory and processors comes in waves of about four years.',
    'Buyers of hardware are advised to look at spare parts as well as at speed.',
    'Open drivers decide how long a device can be used after its maker loses interest.',
    'A new semiconductor factory takes about four years from the first plan to the first chip.',
  ],
};
