import type { TopicTexts } from '../topic.ts';

export const sports: TopicTexts = {
  name: 'Sports',
  stories: [
    {
      title: '{city} United win {n:2-5}\u20131 and go top of the league',
      lead: [
        '{city} United won {n:2-5}\u20131 at home on Saturday and lead the league by two points.',
        'The striker scored twice before half-time, once from {n:20-30} metres.',
        'The coach praised the defence, which has conceded {n:5-12} goals all season.',
      ],
    },
    {
      title: '{name} wins the {city} marathon in the last kilometre',
      lead: [
        '{name} won the {city} marathon after overtaking two runners in the last kilometre.',
        'More than {n:8-20},000 people ran, a fifth of them for the first time.',
        'Rain and wind kept the times behind last year\u2019s.',
      ],
    },
    {
      title: 'Young swimmer from {city} breaks a {n:11-30}-year-old record',
      lead: [
        'At the junior championships a swimmer of sixteen from {city} broke a record that had stood for {n:11-30} years.',
        'She swam the 400 metres freestyle almost two seconds faster than anyone of her age before.',
        'Her club trains at six in the morning because the pool is full later.',
      ],
    },
    {
      title: 'Chess, but on ice: curling club {city} reaches the final',
      lead: [
        'The curling club of {city} beat the favourites in the semi-final with the last stone.',
        'The team of {n:4-6} works in a dairy, a school and a garage.',
        'The final on Sunday is shown in the town hall.',
      ],
    },
    {
      title: 'Basketball: {city} lose by one point after overtime',
      lead: [
        '{city} lost {n:88-99} to {n:100-101} after two periods of overtime in front of a full hall.',
        'A three-pointer with the buzzer touched the ring twice and fell out.',
        'The series now stands at two games each.',
      ],
    },
  ],
  background: [
    'Clubs report more members than before, above all among girls.',
    'Training begins again on Monday, whatever the result.',
    'Local companies pay for most of the shirts and the coaches.',
    'The season is long, and injuries decide more matches than tactics.',
    'Supporters travel with the team even to the smallest venues.',
    'Young athletes need a coach with patience and a place to train.',
  ],
};
