# DBD::MariaDB and DBD::mysql in their default settings: defaults.pl DRIVER DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT.
# One line of output for each login: the answer of a SELECT and the server's word for TLS, or the error.
use strict;
use warnings;
use DBI;

my ( $driver, $database, @logins ) = @ARGV;

for my $login (@logins) {
    my ( $user, $password, $host, $port ) = split /:/, $login;
    my $connection = DBI->connect( "DBI:$driver:host=$host;port=$port;database=$database",
        $user, $password, { PrintError => 0 } );
    if ( !$connection ) {
        print "error $DBI::err $DBI::errstr\n";
        next;
    }
    my ($answer) = $connection->selectrow_array('SELECT 6 * 7');
    my ( undef, $tls ) = $connection->selectrow_array("SHOW SESSION STATUS LIKE 'Ssl_version'");
    print "$answer $tls\n";
    $connection->disconnect;
}
