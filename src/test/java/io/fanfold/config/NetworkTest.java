package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.1.2.3,           10.1.2.3,       true",
        "10.1.2.3,           10.1.2.2,       false",
        "10.1.0.0/16,        10.1.255.255,   true",
        "10.1.0.0/16,        10.2.0.0,       false",
        "10.1.2.3/16,        10.1.9.9,       true",
        "10.128.0.0/9,       10.255.0.1,     true",
        "10.128.0.0/9,       10.127.0.1,     false",
        "192.168.1.0/25,     192.168.1.127,  true",
        "192.168.1.0/25,     192.168.1.128,  false",
        "0.0.0.0/0,          203.0.113.9,    true",
        "0.0.0.0/0,          2001:db8::1,    false",
        "::/0,               2001:db8::1,    true",
        "::/0,               203.0.113.9,    false",
        "2001:db8::/33,      2001:db8:7fff::, true",
        "2001:db8::/33,      2001:db8:8000::, false",
        "::1,                ::1,            true",
        "::1,                ::2,            false",
        "::ffff:10.0.0.0/104, 10.9.9.9,      true",
        "::ffff:10.0.0.0/104, 11.9.9.9,      false",
        "10.0.0.0/8,         ::ffff:10.9.9.9, true",
    })
    void holdsTheAddressesThatBeginAlike(String network, String address, boolean held) throws Exception {
        assertThat(Network.parse(network).orElseThrow().contains(InetAddress.getByName(address)))
                .isEqualTo(held);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "localhost",
                "a",
                "10",
                "10.1",
                "10.1.2",
                "10.1.2.3.4",
                "10.1.2.256",
                "10.1.2.3/33",
                "10.1.2.3/",
                "10.1.2.3/-1",
                "/8",
                "10.1.2.3/8/8",
                "10.1.2.3 ",
                "[::1]",
                "::1/129",
                "fe80::1%eth0",
                ":::",
                "::ffff:10.0.0.0/95"
            })
    void refusesTextThatIsNotAnAddress(String text) {
        assertThat(Network.parse(text)).isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({"10.1.2.3, 10.1.2.3/32", "::ffff:10.0.0.0/104, 10.0.0.0/8", "fd00::/8, fd00:0:0:0:0:0:0:0/8"})
    void isNamedByItsAddressAndBits(String text, String name) {
        assertThat(Network.parse(text).orElseThrow()).hasToString(name);
    }
}
