import type { TopicTexts } from '../topic.ts';

export const space: TopicTexts = {
  name: 'Space',
  stories: [
    {
      title: 'Probe {project} enters orbit around the Moon',
      lead: [
        'The {project} probe fired its engine for {n:11-29} minutes on Thursday and is now in orbit around the Moon.',
        'It carries a radar that looks for ice in craters where the sun never shines.',
        'The first images are expected within {n:3-9} days.',
      ],
    },
    {
      title: 'Telescope finds water vapour in the air of a planet {n:40-180} light years away',
      lead: [
        'Astronomers have found water vapour in the atmosphere of a small planet {n:40-180} light years from Earth.',
        'The planet passes in front of its star every {n:9-40} days, and its air leaves a mark in the starlight.',
        'Whether there is liquid water on the surface cannot be said yet.',
      ],
    },
    {
      title: 'Reusable rocket stage lands at sea for the {n:11-60}th time',
      lead: [
        'A reusable rocket stage of {company} landed on its ship for the {n:11-60}th time after carrying {n:20-60} satellites to orbit.',
        'The engine was inspected but not exchanged between the last two flights.',
        'Insurers now ask for less on a used stage than on a new one.',
      ],
    },
    {
      title: 'Space debris: {company} tests a net in low orbit',
      lead: [
        'A satellite of {company} threw a net around a dummy target in orbit and held it.',
        'More than {n:30-40} thousand pieces of debris larger than ten centimetres circle the Earth.',
        'The next step is a spent rocket stage of {n:2-4} tonnes.',
      ],
    },
    {
      title: 'Meteor shower this week: up to {n:40-110} an hour after midnight',
      lead: [
        'Up to {n:40-110} meteors an hour can be seen this week in the hours after midnight.',
        'The Moon sets early, and the astronomy club of {city} opens its observatory.',
        'No telescope is needed: the meteors cover half the sky.',
      ],
    },
  ],
  background: [
    'Launches have become so frequent that few of them are shown live.',
    'Every satellite needs a plan for its end, which is usually a controlled fall into the atmosphere.',
    'Light from distant stars shows which gases a planet\u2019s air contains.',
    'Astronomers ask for darker skies, because satellites cross one image in ten.',
    'Missions beyond Earth orbit depend on a handful of large antennas that all agencies share.',
    'Much of what is known about space comes from instruments that were built for something else.',
  ],
};
