import type { TopicTexts } from '../topic.ts';

export const localGovernment: TopicTexts = {
  name: 'Local government',
  stories: [
    {
      title: '{city} council approves new bus routes for the northern districts',
      lead: [
        'The {city} council voted on Tuesday to add {n:2-6} bus routes that connect the northern districts with the hospital and the station.',
        'Buses will run every {n:12-30} minutes on weekdays from the first of next month.',
        'Residents had asked for the routes in a petition with more than {n:2-9},000 signatures.',
      ],
    },
    {
      title: 'Library in {city} to open on Sundays after budget vote',
      lead: [
        'The central library of {city} will open on Sundays from ten until six, the council decided with the new budget.',
        'The additional hours cost about {n:80-300},000 a year and are paid for from savings in street lighting.',
        'A children\u2019s reading hour and a repair workshop are planned for the first Sunday.',
      ],
    },
    {
      title: 'Residents of {city} invited to comment on flood plan',
      lead: [
        'The town hall of {city} has put its draft flood plan on display and invites comments until the end of the month.',
        'The plan raises {n:3-11} kilometres of embankment and turns two sports fields into retention basins.',
        'Three public meetings will be held, one of them online and one with sign language.',
      ],
    },
    {
      title: '{city} replaces paper forms with one page for all applications',
      lead: [
        'From moving house to registering a dog, {n:40-120} applications to the town of {city} can now be filled in on one page.',
        'The counters at the town hall stay open, the mayor said, and staff will help people who prefer paper.',
        'The programme cost less than planned because it reuses software from a neighbouring town.',
      ],
    },
    {
      title: 'Waste collection in {city} moves to a new calendar',
      lead: [
        'Households in {city} will have their paper and plastics collected on alternating weeks from next month.',
        'The town expects to save {n:5-18} percent of the kilometres that its collection lorries drive.',
        'A printed calendar goes to every household, and reminders can be ordered by post or by message.',
      ],
    },
  ],
  background: [
    'Sessions of the council are public, and its minutes can be read at the town hall and on its website.',
    'Towns have less money than tasks, and every decision has to be weighed against others.',
    'Residents can put questions to the mayor in writing at any time.',
    'Neighbouring municipalities have started to share services that none of them can pay for alone.',
    'Turnout at local elections has been falling for years, which the council wants to change.',
    'Volunteers carry much of what a town offers, from the fire brigade to the library.',
  ],
};
