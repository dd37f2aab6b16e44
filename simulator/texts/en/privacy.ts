import type { TopicTexts } from '../topic.ts';

export const privacy: TopicTexts = {
  name: 'Privacy',
  stories: [
    {
      title: 'Regulator fines {company} for tracking visitors who said no',
      lead: [
        'The data protection authority fined {company} {n:2-18} million because its pages set tracking cookies even after visitors declined.',
        'Inspectors had recorded the traffic of {n:120-600} visits and found the same identifier in each.',
        'The company says that a tag of a former partner was to blame and has removed it.',
      ],
    },
    {
      title: 'Car makers collect location data every {n:3-30} seconds, study says',
      lead: [
        'Of {n:11-25} new cars examined, all but two sent their location to the manufacturer while driving.',
        'Consent was hidden in contracts of more than a hundred pages, the consumer group writes.',
        'Owners can object in writing; a model letter is provided.',
      ],
    },
    {
      title: '{city} switches off face recognition at its station',
      lead: [
        'The city of {city} has ended a trial of face recognition at its main station after privacy complaints.',
        'The system had stored the faces of {n:20-80} thousand people, most of them commuters.',
        'All personal data will be deleted under the supervision of the data protection officer.',
      ],
    },
    {
      title: 'A right to know: how {name} got {n:200-900} pages about herself',
      lead: [
        '{name} asked {n:12-40} companies for her personal data and received {n:200-900} pages.',
        'One advertising broker had filed her under seven income groups at the same time.',
        'Nine companies missed the legal deadline, and two asked for a copy of her passport first.',
      ],
    },
    {
      title: 'Browser maker turns on tracking protection for everyone',
      lead: [
        'The {project} browser now blocks known trackers and strips identifiers from links by default.',
        'Publishers fear for advertising income, while privacy groups call the step overdue.',
        'In tests on {n:300-900} sites fewer than two percent showed any breakage.',
      ],
    },
  ],
  background: [
    'Consent must be as easy to withdraw as to give, data protection law says.',
    'Data that is not collected cannot leak.',
    'Even pseudonymous records often lead back to one person when several sources are combined.',
    'Privacy groups want the same rules for employers and for the state.',
    'Everyone has the right to learn which personal data a company keeps about them.',
    'Authorities received more complaints about tracking last year than ever before.',
  ],
};
