# DBD::MariaDB and DBD::mysql: client.pl DRIVER SCENARIO HOST PORT USER PASSWORD DATABASE [tls AUTHORITY]
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Encode qw(decode encode);
use JSON::PP;
use Time::HiRes qw(usleep);
use DBI;

my ( $driver, $scenario, $host, $port, $user, $password, $database, @options ) = @ARGV;
my $tls      = grep { $_ eq 'tls' } @options;
my $is_maria = $driver eq 'MariaDB';
my $own      = $is_maria ? 'mariadb' : 'mysql';
# DBD::mysql gives strings as bytes unless it is told so, and takes them as they are.
my %unicode = $is_maria ? () : ( mysql_enable_utf8mb4 => 1 );
my $connection;

sub connect_again {
    my $name = "DBI:$driver:host=$host;port=$port;database=$database;${own}_multi_statements=1";
    # it checks the certificate in any case, so it is given its authority
    $name .= ";${own}_ssl=1;${own}_ssl_ca_file=$options[1]" if $tls;
    return DBI->connect( $name, $user, $password,
        { RaiseError => 1, PrintError => 0, AutoCommit => 1, %unicode } );
}

sub say_line { print join( ' ', @_ ), "\n" }

sub shown {
    my ($value) = @_;
    return 'NULL' if !defined $value;
    return 'string of ' . length($value) . ' sum ' . unpack( '%32C*', encode( 'UTF-8', $value ) ) if length $value > 200;
    return "'$value'" if $value =~ /^[\x20-\x7e]*$/;
    return 'U+' . join( ',', map { sprintf '%X', ord } split //, $value );
}

sub say_error {
    my ($word) = @_;
    say_line( $word, $DBI::err, $DBI::state, $DBI::errstr );
}

sub say_result {
    my ( $statement, $is_only ) = @_;
    do {
        if ( $statement->{NUM_OF_FIELDS} ) {
            my @names = @{ $statement->{NAME} };
            for my $i ( 0 .. $#names ) {
                say_line( 'column', $names[$i], map { defined $_ ? $_ : 'undef' } $statement->{TYPE}[$i],
                    $statement->{PRECISION}[$i], $statement->{NULLABLE}[$i] ? 1 : 0, $statement->{"${own}_type_name"}[$i] );
            }
            my $rows = $statement->fetchall_arrayref;
            say_line( 'row', join ' | ', map { shown($_) } @$_ ) for @$rows;
        }
        say_line( 'ok rows', $statement->rows, 'id', $statement->{"${own}_insertid"} // 'undef',
            'warnings', $statement->{"${own}_warning_count"} // 'undef', shown( $connection->{"${own}_info"} ) );
    } while ( !$is_only && $statement->more_results );
}

sub run_on {
    my ( $on, $sql, @parameters ) = @_;
    my $statement = $on->prepare($sql);
    $statement->execute(@parameters);
    say_result($statement);
    $statement->finish;
}

sub only {
    my ( $on, $sql ) = @_;
    return ( $on->selectrow_array($sql) )[0];
}

my %verbs = (
    hello => sub {
        my ( $id, $version, $name, $who ) =
            $connection->selectrow_array('SELECT CONNECTION_ID(), VERSION(), DATABASE(), USER()');
        $who =~ s/@.*//;
        say_line( 'version', $version, $connection->{"${own}_serverinfo"}, 'id known',
            $id == $connection->{"${own}_thread_id"} ? 1 : 0, $name, $who );
    },
    query => sub { run_on( $connection, $_[0] ) },
    multi => sub { run_on( $connection, $_[0] ) },
    args  => sub { my ( $parameters, $sql ) = @_; run_on( $connection, $sql, @$parameters ) },
    prepared => sub {
        my ( $parameters, $sql ) = @_;
        my $statement = $connection->prepare( $sql, { "${own}_server_prepare" => 1 } );
        $statement->execute(@$parameters);
        say_result( $statement, 1 );    # several results are not known to prepared ones
    },
    many => sub {
        my ( $parameters, $sql ) = @_;
        my $statement = $connection->prepare($sql);
        say_line( 'done', $statement->execute_for_fetch( sub { shift @$parameters }, \my @status ) );
    },
    stream => sub {
        my $statement = $connection->prepare( $_[0], { "${own}_use_result" => 1 } );
        $statement->execute;
        my ( $rows, $sum ) = ( 0, 0 );
        while ( my $row = $statement->fetchrow_arrayref ) {
            my $text = join ' | ', map { shown($_) } @$row;
            say_line( 'row', $text ) if $rows++ < 2;
            $sum = ( $sum * 31 + unpack( '%32C*', encode( 'UTF-8', $text ) ) ) % 1_000_000_007;
        }
        say_line( 'rows', $rows, 'sum', $sum );
    },
    call => sub {
        my ($name) = @_;
        if ( $name eq 'takes_and_gives' ) {
            run_on( $connection, $_ ) for 'SET @b = 2', 'CALL takes_and_gives(40, @b, @c)', 'SELECT @b, @c';
        }
        else {
            run_on( $connection, "CALL $name()" );
        }
    },
    begin    => sub { $connection->begin_work },
    commit   => sub { $connection->commit },
    rollback => sub { $connection->rollback },
    use      => sub { $connection->do("USE $_[0]") },
    value    => sub {
        my ($length) = @_;
        my $text = substr( '0123456789é漢' x ( $length / 12 + 1 ), 0, $length );
        my $raw  = join '', map { chr } 0 .. 255;
        my $insert = $connection->prepare('INSERT INTO made (id, body, raw) VALUES (?, ?, ?)');
        $insert->bind_param( 1, $length );
        $insert->bind_param( 2, $text );
        $insert->bind_param( 3, $raw, DBI::SQL_BLOB() );
        $insert->execute;
        my ( $read, $bytes ) = $connection->selectrow_array("SELECT body, HEX(raw) FROM made WHERE id = $length");
        say_line( 'same', $read eq $text ? 1 : 0, lc $bytes eq unpack( 'H*', $raw ) ? 1 : 0, shown($read) );
    },
    ping      => sub { say_line( 'ping', $connection->ping ) },
    reconnect => sub { $connection->disconnect; $connection = connect_again() },
    kill      => sub {
        my $other = connect_again();
        my $id    = $connection->{"${own}_thread_id"};
        $other->do("KILL $id");
        usleep(10_000) while only( $other, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id" );
        $other->disconnect;
        eval { run_on( $connection, "SELECT 'nobody is there'" ); 1 } or say_error('lost');
        $connection = connect_again();
    },
);

$connection = connect_again();
open my $lines, '<:encoding(UTF-8)', $scenario or die "$scenario: $!";
while ( my $line = <$lines> ) {
    $line =~ s/^\s+|\s+$//g;
    $line =~ s/\{db\}/$database/g;
    next if $line eq '' || $line =~ /^#/;
    my ( $verb, $rest ) = $line =~ m{^(\w+)!?(?:/\d+)? ?(.*)$};
    my @arguments = ($rest);
    if ( $verb =~ /^(?:args|prepared|many)$/ ) {
        my ( $json, $sql ) = split / \| /, $rest, 2;
        @arguments = ( JSON::PP->new->decode($json), $sql );
    }
    say_line( '>', $line );
    if ( !$verbs{$verb} ) {
        say_line('skipped');
    }
    elsif ( !eval { $verbs{$verb}->(@arguments); 1 } ) {
        die $@ if !$DBI::err;
        say_error('error');
    }
}
$connection->disconnect;
